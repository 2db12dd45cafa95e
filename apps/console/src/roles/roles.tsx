import type { Role } from '@latchkey/sdk'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Bot, FileText, Server, UsersRound } from 'lucide-react'
import { LinkBadges } from '../links/link-badges.tsx'
import { LinkPickers } from '../links/link-editor.tsx'
import { linkNamesOf, linksOf, NO_LINKS, SHARED_LINK_LABELS } from '../links/links.ts'
import { useLive, watchOrNull } from '../live/use-live.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { Usage } from '../tokens/usage.tsx'
import { TextField } from '../ui/form/field.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { Card } from '../ui/page.tsx'
import { EditablePage, type RecordDialogProps } from '../ui/record-page.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { showToast } from '../ui/toast.tsx'

const COLUMNS: readonly Column<Role>[] = [
  [
    'Name',
    'minmax(0, 1fr)',
    ({ ID, Name, Description }) => (
      <TitleCell to="/roles/$id" params={{ id: ID }} title={Name} sub={Description} />
    ),
  ],
  ['Grants', 'minmax(0, 1fr)', (role) => <LinkBadges record={role} />, { priority: 'low' }],
]

export function RolesPage() {
  return (
    <ListPage
      title="Roles"
      lead="Named bundles of policies and identities for tokens."
      queryKey={['roles']}
      watch={(client, options) => client.roles.watchList({}, options)}
      columns={COLUMNS}
      keyOf={({ ID }) => ID}
      sortBy={({ Name }) => Name}
      textsOf={({ Name, Description, Policies = [] }) => [
        Name,
        Description,
        ...Policies.map((each) => each.Name),
      ]}
      empty={{
        icon: UsersRound,
        title: 'No roles yet',
        text: 'A role gives the same rights to many tokens.',
      }}
      create={{ what: 'role', needs: 'aclWrite' }}
      dialog={(onClose) => <RoleDialog onClose={onClose} />}
    />
  )
}

const route = getRouteApi('/roles/$id')

export function RolePage() {
  const { id } = route.useParams() as { id: string }
  const client = useClient()
  const role = useLive(['role', id], (_, options) => watchOrNull(client.roles.watch(id, options)))
  return (
    <EditablePage
      what="role"
      query={role}
      parent={{ to: '/roles', label: 'Roles' }}
      title="Role"
      gone={{ icon: UsersRound, title: 'This role does not exist', text: 'It may have been deleted.' }}
      needs="aclWrite"
      leadOf={({ Description }) => Description}
      remove={({ ID }) => client.roles.delete(ID)}
      warning="Tokens lose its rights at once. This cannot be undone."
      dialog={RoleDialog}
    >
      {(shown) => (
        <>
          <Card title="Grants">
            <Grants role={shown} />
          </Card>
          <Usage
            title="Tokens with this role"
            by="role"
            id={shown.ID}
            name={shown.Name}
            none="No token has this role."
          />
        </>
      )}
    </EditablePage>
  )
}

function Grants({ role }: { readonly role: Role }) {
  const { Policies = [], ServiceIdentities = [], NodeIdentities = [] } = role
  const grants = [
    ...Policies.map(({ ID, Name }) => [FileText, Name, 'policy', ID] as const),
    ...ServiceIdentities.map(({ ServiceName }) => [Bot, ServiceName, 'service identity'] as const),
    ...NodeIdentities.map(
      ({ NodeName, Datacenter }) => [Server, NodeName, `node identity in ${Datacenter}`] as const,
    ),
  ]
  if (grants.length === 0) {
    return <p className="secondary">It has no policy or identity, so it grants nothing.</p>
  }
  return (
    <ul className="usage">
      {grants.map(([Icon, name, kind, id]) => (
        <li key={`${kind} ${name}`}>
          <Icon aria-hidden />
          {id === undefined ? (
            <span className="truncate">{name}</span>
          ) : (
            <Link to="/policies/$id" params={{ id }} className="truncate">
              {name}
            </Link>
          )}
          <span className="small muted">{kind}</span>
        </li>
      ))}
    </ul>
  )
}

const BLANK = { name: '', description: '', ...NO_LINKS }

function RoleDialog({ record, isDeleted = false, onClose }: RecordDialogProps<Role>) {
  const client = useClient()
  const navigate = useNavigate()
  const edit = useEdit({
    record,
    isDeleted,
    blank: BLANK,
    contentOf: (role) => ({ name: role.Name, description: role.Description, ...linkNamesOf(role) }),
    labels: { name: 'Name', description: 'Description', ...SHARED_LINK_LABELS },
    read: ({ ID }) => client.roles.read(ID, { consistency: 'consistent' }),
    save: ({ name, description, ...links }, stored) => {
      const body = {
        Name: name.trim(),
        Description: description.trim(),
        ...linksOf(links, serverFacts.datacenter),
      }
      return stored ? client.roles.update(stored.ID, body) : client.roles.create(body)
    },
    onSaved: (saved) => {
      showToast({ text: `Saved “${saved.Name}”.` })
      onClose()
      if (edit.isNew) void navigate({ to: '/roles/$id', params: { id: saved.ID } })
    },
    onClose,
  })
  const { content, set, field } = edit
  return (
    <EditDialog edit={edit} what="role" onClose={onClose}>
      <TextField {...field('name')} hint="Letters, digits, - and _. At most 256 characters." name="name" />
      <TextField {...field('description')} name="description" />
      <LinkPickers links={content} onLinks={set} />
    </EditDialog>
  )
}
