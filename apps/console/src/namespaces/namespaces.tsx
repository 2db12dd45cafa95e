import type { Namespace } from '@latchkey/sdk'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Layers, LogIn } from 'lucide-react'
import { LinkBadges } from '../links/link-badges.tsx'
import { NamePicker } from '../links/link-editor.tsx'
import type { Linked } from '../links/links.ts'
import { useLive } from '../live/use-live.ts'
import { Counts } from '../policies/counts.tsx'
import { ClientContext, useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { TextField } from '../ui/form/field.tsx'
import type { FieldText } from '../ui/form/use-edit.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { Card, Page } from '../ui/page.tsx'
import { type Editing, RecordActions, RecordPage } from '../ui/record-page.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { showToast } from '../ui/toast.tsx'

const COLUMNS: readonly Column<Namespace>[] = [
  {
    header: 'Name',
    track: 'minmax(0, 1fr)',
    cell: ({ Name, Description }) => (
      <TitleCell to="/namespaces/$name" params={{ name: Name }} title={Name} sub={Description} />
    ),
  },
  {
    header: 'Defaults',
    track: 'minmax(0, 1fr)',
    priority: 'low',
    cell: (namespace) => <LinkBadges record={defaultsOf(namespace)} none="No defaults" />,
  },
]

/** Separate sets of tokens, policies, roles and keys (extended edition). */
export function NamespacesPage() {
  const client = useClient()
  const rights = useRights()
  const namespaces = useLive(['namespaces'], (options) => client.namespaces.watchList(options))
  return (
    <ListPage
      title="Namespaces"
      lead="Separate sets of tokens, policies, roles and keys."
      query={namespaces}
      columns={COLUMNS}
      keyOf={({ Name }) => Name}
      textsOf={({ Name, Description }) => [Name, Description]}
      empty={{ icon: Layers, title: 'No namespaces', text: 'Your token may not read any namespace.' }}
      create={{ what: 'namespace', may: rights.operatorWrite }}
      dialog={(onClose) => <NamespaceDialog onClose={onClose} />}
    />
  )
}

const route = getRouteApi('/namespaces/$name')
const PARENT = { to: '/namespaces', label: 'Namespaces' }

/** The namespace that always exists. */
const DEFAULT = 'default'

export function NamespacePage() {
  const { name } = route.useParams() as { name: string }
  const client = useClient()
  const namespaces = useLive(['namespaces'], (options) => client.namespaces.watchList(options))
  const found = namespaces.data && (namespaces.data.find(({ Name }) => Name === name) ?? null)
  return (
    <RecordPage
      record={found}
      query={namespaces}
      parent={PARENT}
      title={name}
      gone={{ icon: Layers, title: 'This namespace does not exist', text: 'It may have been deleted.' }}
    >
      {(shown, editing) => <NamespaceDetails namespace={shown} {...editing} />}
    </RecordPage>
  )
}

interface DetailsProps extends Editing {
  readonly namespace: Namespace
}

function NamespaceDetails({ namespace, isDeleted, isEdited, setEdited }: DetailsProps) {
  const client = useClient()
  const rights = useRights()
  const { Name, Description } = namespace
  return (
    <Page
      title={Name}
      parent={PARENT}
      lead={Description}
      actions={
        <>
          <Link to="/tokens" search={{ ns: Name }} className="button">
            <LogIn aria-hidden />
            Switch to it
          </Link>
          {rights.operatorWrite && (
            <RecordActions
              what="namespace"
              name={Name}
              onEdit={() => setEdited(true)}
              onDelete={Name === DEFAULT ? undefined : () => client.namespaces.delete(Name)}
              to="/namespaces"
            >
              Only an empty namespace can be deleted, one without tokens, policies, roles and keys.
            </RecordActions>
          )}
        </>
      }
    >
      <div className="columns">
        <Card title="Defaults">
          <div className="stack">
            <p className="secondary">
              Every token in the namespace gets these in addition to its own, including the anonymous token.
            </p>
            <LinkBadges record={defaultsOf(namespace)} none="No defaults" isWhole />
          </div>
        </Card>
        <Contents name={Name} />
      </div>
      {isEdited && (
        <NamespaceDialog namespace={namespace} isDeleted={isDeleted} onClose={() => setEdited(false)} />
      )}
    </Page>
  )
}

function Contents({ name }: { readonly name: string }) {
  const rights = useRights()
  const client = useClient().withNamespace(name)
  return (
    <Counts
      title="Contents"
      client={client}
      queryKey={['namespace', name]}
      enabled={rights.aclRead}
      ns={name}
    />
  )
}

interface NamespaceDialogProps {
  /** Absent: a new one. */
  readonly namespace?: Namespace
  /** The namespace was deleted elsewhere while this form was open. */
  readonly isDeleted?: boolean
  readonly onClose: () => void
}

interface Content {
  /** The name cannot change. */
  readonly name: string
  readonly description: string
  readonly policies: readonly string[]
  readonly roles: readonly string[]
}

function NamespaceDialog({ namespace, isDeleted = false, onClose }: NamespaceDialogProps) {
  const client = useClient()
  const navigate = useNavigate()
  const edit = useEdit({
    record: namespace,
    isDeleted,
    blank: { name: '', description: '', policies: [], roles: [] },
    contentOf,
    fieldsOf,
    read: ({ Name }) => client.namespaces.read(Name, { consistency: 'consistent' }),
    save: ({ name, description, policies, roles }, stored) => {
      const Description = description.trim()
      if (!stored) return client.namespaces.create({ Name: name.trim(), Description })
      const named = (names: readonly string[]) => names.map((Name) => ({ Name }))
      const ACLs = { PolicyDefaults: named(policies), RoleDefaults: named(roles) }
      return client.namespaces.update(stored.Name, { Description, ACLs })
    },
    onSaved: (saved) => {
      showToast({ text: `Saved “${saved.Name}”.` })
      onClose()
      if (edit.isNew) void navigate({ to: '/namespaces/$name', params: { name: saved.Name } })
    },
    onClose,
  })
  const { content, set, isNew } = edit
  return (
    <EditDialog edit={edit} what="namespace" onClose={onClose}>
      {isNew && (
        <TextField
          label="Name"
          hint="Letters, digits, - and _, with a letter or digit at both ends."
          name="name"
          value={content.name}
          onValue={(name) => set({ name })}
        />
      )}
      <TextField
        label="Description"
        name="description"
        value={content.description}
        onValue={(description) => set({ description })}
      />
      {namespace && !isNew ? (
        <ClientContext value={client.withNamespace(namespace.Name)}>
          <NamePicker
            label="Default policies"
            kind="policies"
            values={content.policies}
            onValues={(policies) => set({ policies })}
          />
          <NamePicker
            label="Default roles"
            kind="roles"
            values={content.roles}
            onValues={(roles) => set({ roles })}
          />
        </ClientContext>
      ) : (
        <p className="field-hint">
          Default policies and roles must be in the namespace: choose them after you have created some.
        </p>
      )}
    </EditDialog>
  )
}

function contentOf({ Name, Description, ACLs }: Namespace): Content {
  return {
    name: Name,
    description: Description,
    policies: ACLs.PolicyDefaults.map(({ Name }) => Name),
    roles: ACLs.RoleDefaults.map(({ Name }) => Name),
  }
}

function fieldsOf({ description, policies, roles }: Content): readonly FieldText[] {
  return [
    ['Description', description],
    ['Default policies', policies.join('\n')],
    ['Default roles', roles.join('\n')],
  ]
}

/** The defaults of a namespace as links, which apply to every token in it. */
function defaultsOf({ ACLs }: Namespace): Linked {
  return { Policies: ACLs.PolicyDefaults, Roles: ACLs.RoleDefaults }
}
