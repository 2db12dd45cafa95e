import type { Role } from '@latchkey/sdk'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Bot, FileText, Server, UsersRound } from 'lucide-react'
import { LinkBadges } from '../links/link-badges.tsx'
import { LinkPickers } from '../links/link-editor.tsx'
import { LINK_LABELS, type LinkNames, linkNamesOf, linksOf, NO_LINKS } from '../links/links.ts'
import { useLive, watchOrNull } from '../live/use-live.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Usage } from '../tokens/usage.tsx'
import { TextField } from '../ui/form/field.tsx'
import type { FieldText } from '../ui/form/use-edit.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { Card, Page } from '../ui/page.tsx'
import { type Editing, RecordActions, RecordPage } from '../ui/record-page.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { showToast } from '../ui/toast.tsx'

const COLUMNS: readonly Column<Role>[] = [
  {
    header: 'Name',
    track: 'minmax(0, 1fr)',
    cell: ({ ID, Name, Description }) => (
      <TitleCell to="/roles/$id" params={{ id: ID }} title={Name} sub={Description} />
    ),
  },
  {
    header: 'Grants',
    track: 'minmax(0, 1fr)',
    priority: 'low',
    cell: (role) => <LinkBadges record={role} />,
  },
]

export function RolesPage() {
  const client = useClient()
  const rights = useRights()
  const roles = useLive(['roles'], (options) => client.roles.watchList({}, options))
  return (
    <ListPage
      title="Roles"
      lead="Named bundles of policies and identities for tokens."
      query={roles}
      columns={COLUMNS}
      keyOf={({ ID }) => ID}
      sortBy={({ Name }) => Name}
      textsOf={({ Name, Description, Policies = [] }) => [
        Name,
        Description,
        ...Policies.map((policy) => policy.Name),
      ]}
      empty={{
        icon: UsersRound,
        title: 'No roles yet',
        text: 'A role gives the same rights to many tokens.',
      }}
      create={{ what: 'role', may: rights.aclWrite }}
      dialog={(onClose) => <RoleDialog onClose={onClose} />}
    />
  )
}

const route = getRouteApi('/roles/$id')
const PARENT = { to: '/roles', label: 'Roles' }

export function RolePage() {
  const { id } = route.useParams() as { id: string }
  const client = useClient()
  const role = useLive(['role', id], (options) => watchOrNull(client.roles.watch(id, options)))
  return (
    <RecordPage
      record={role.data}
      query={role}
      parent={PARENT}
      title="Role"
      gone={{ icon: UsersRound, title: 'This role does not exist', text: 'It may have been deleted.' }}
    >
      {(shown, editing) => <RoleDetails role={shown} {...editing} />}
    </RecordPage>
  )
}

interface DetailsProps extends Editing {
  readonly role: Role
}

function RoleDetails({ role, isDeleted, isEdited, setEdited }: DetailsProps) {
  const client = useClient()
  const rights = useRights()
  return (
    <Page
      title={role.Name}
      parent={PARENT}
      lead={role.Description}
      actions={
        rights.aclWrite && (
          <RecordActions
            what="role"
            name={role.Name}
            onEdit={() => setEdited(true)}
            onDelete={() => client.roles.delete(role.ID)}
            to="/roles"
          >
            Tokens lose its rights at once. This cannot be undone.
          </RecordActions>
        )
      }
    >
      <div className="columns">
        <Card title="Grants">
          <Grants role={role} />
        </Card>
        <Usage
          title="Tokens with this role"
          by="role"
          id={role.ID}
          name={role.Name}
          none="No token has this role."
        />
      </div>
      {isEdited && <RoleDialog role={role} isDeleted={isDeleted} onClose={() => setEdited(false)} />}
    </Page>
  )
}

function Grants({ role }: { readonly role: Role }) {
  const { Policies = [], ServiceIdentities = [], NodeIdentities = [] } = role
  if (Policies.length + ServiceIdentities.length + NodeIdentities.length === 0) {
    return <p className="secondary">It has no policy or identity, so it grants nothing.</p>
  }
  return (
    <ul className="usage">
      {Policies.map(({ ID, Name }) => (
        <li key={ID}>
          <FileText aria-hidden />
          <Link to="/policies/$id" params={{ id: ID }} className="truncate">
            {Name}
          </Link>
          <span className="small muted">policy</span>
        </li>
      ))}
      {ServiceIdentities.map(({ ServiceName }) => (
        <li key={ServiceName}>
          <Bot aria-hidden />
          <span className="truncate">{ServiceName}</span>
          <span className="small muted">service identity</span>
        </li>
      ))}
      {NodeIdentities.map(({ NodeName, Datacenter }) => (
        <li key={`${NodeName}@${Datacenter}`}>
          <Server aria-hidden />
          <span className="truncate">{NodeName}</span>
          <span className="small muted">node identity in {Datacenter}</span>
        </li>
      ))}
    </ul>
  )
}

interface RoleDialogProps {
  /** Absent: a new one. */
  readonly role?: Role
  /** The role was deleted elsewhere while this form was open. */
  readonly isDeleted?: boolean
  readonly onClose: () => void
}

interface Content {
  readonly name: string
  readonly description: string
  readonly links: LinkNames
}

function RoleDialog({ role, isDeleted = false, onClose }: RoleDialogProps) {
  const client = useClient()
  const navigate = useNavigate()
  const edit = useEdit({
    record: role,
    isDeleted,
    blank: { name: '', description: '', links: NO_LINKS },
    contentOf,
    fieldsOf,
    read: ({ ID }) => client.roles.read(ID, { consistency: 'consistent' }),
    save: ({ name, description, links }, stored) => {
      const record = {
        Name: name.trim(),
        Description: description.trim(),
        ...linksOf(links, serverFacts.datacenter),
      }
      return stored ? client.roles.update(stored.ID, record) : client.roles.create(record)
    },
    onSaved: (saved) => {
      showToast({ text: `Saved “${saved.Name}”.` })
      onClose()
      if (edit.isNew) void navigate({ to: '/roles/$id', params: { id: saved.ID } })
    },
    onClose,
  })
  const { content, set } = edit
  return (
    <EditDialog edit={edit} what="role" onClose={onClose}>
      <TextField
        label="Name"
        hint="Letters, digits, - and _. At most 256 characters."
        name="name"
        value={content.name}
        onValue={(name) => set({ name })}
      />
      <TextField
        label="Description"
        name="description"
        value={content.description}
        onValue={(description) => set({ description })}
      />
      <LinkPickers links={content.links} onLinks={(part) => set({ links: { ...content.links, ...part } })} />
    </EditDialog>
  )
}

function contentOf(role: Role): Content {
  return { name: role.Name, description: role.Description, links: linkNamesOf(role) }
}

function fieldsOf({ name, description, links }: Content): readonly FieldText[] {
  return [
    ['Name', name],
    ['Description', description],
    ...(['policies', 'services', 'nodes'] as const).map(
      (kind) => [LINK_LABELS[kind], links[kind].join('\n')] as const,
    ),
  ]
}
