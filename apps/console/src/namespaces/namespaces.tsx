import type { Namespace } from '@latchkey/sdk'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Layers, LogIn } from 'lucide-react'
import { LinkBadges } from '../links/link-badges.tsx'
import { NamePicker } from '../links/link-editor.tsx'
import { type Linked, linkNamesOf } from '../links/links.ts'
import { useLive } from '../live/use-live.ts'
import { Counts } from '../policies/counts.tsx'
import { ClientContext, useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { TextField } from '../ui/form/field.tsx'
import { EditDialog, useEdit } from '../ui/form/use-edit.tsx'
import { Card } from '../ui/page.tsx'
import { EditablePage, type RecordDialogProps } from '../ui/record-page.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { showToast } from '../ui/toast.tsx'

const COLUMNS: readonly Column<Namespace>[] = [
  [
    'Name',
    'minmax(0, 1fr)',
    ({ Name, Description }) => (
      <TitleCell to="/namespaces/$name" params={{ name: Name }} title={Name} sub={Description} />
    ),
  ],
  [
    'Defaults',
    'minmax(0, 1fr)',
    (namespace) => <LinkBadges record={defaultsOf(namespace)} none="No defaults" />,
    { priority: 'low' },
  ],
]

/** Separate sets of tokens, policies, roles and keys (extended edition). */
export function NamespacesPage() {
  return (
    <ListPage
      title="Namespaces"
      lead="Separate sets of tokens, policies, roles and keys."
      queryKey={['namespaces']}
      watch={(client, options) => client.namespaces.watchList(options)}
      columns={COLUMNS}
      keyOf={({ Name }) => Name}
      textsOf={({ Name, Description }) => [Name, Description]}
      empty={{ icon: Layers, title: 'No namespaces', text: 'Your token may not read any namespace.' }}
      create={{ what: 'namespace', needs: 'operatorWrite' }}
      dialog={(onClose) => <NamespaceDialog onClose={onClose} />}
    />
  )
}

const route = getRouteApi('/namespaces/$name')

const DEFAULT = 'default'

export function NamespacePage() {
  const { name } = route.useParams() as { name: string }
  const client = useClient()
  const all = useLive(['namespaces'], (_, options) => client.namespaces.watchList(options))
  const { data = [], isSuccess } = all
  const found = data.find(({ Name }) => Name === name) ?? (isSuccess ? null : undefined)
  return (
    <EditablePage
      what="namespace"
      query={{ ...all, data: found }}
      parent={{ to: '/namespaces', label: 'Namespaces' }}
      title={name}
      gone={{ icon: Layers, title: 'This namespace does not exist', text: 'It may have been deleted.' }}
      needs="operatorWrite"
      leadOf={({ Description }) => Description}
      actions={({ Name }) => (
        <Link to="/tokens" search={{ ns: Name }} className="button">
          <LogIn aria-hidden />
          Switch to it
        </Link>
      )}
      remove={({ Name }) => client.namespaces.delete(Name)}
      isRemovable={({ Name }) => Name !== DEFAULT}
      warning="Only an empty namespace can be deleted, one without tokens, policies, roles and keys."
      dialog={NamespaceDialog}
    >
      {(namespace) => (
        <>
          <Card title="Defaults">
            <div className="stack">
              <p className="secondary">
                Every token in the namespace gets these in addition to its own, including the anonymous token.
              </p>
              <LinkBadges record={defaultsOf(namespace)} none="No defaults" isWhole />
            </div>
          </Card>
          <Contents name={namespace.Name} />
        </>
      )}
    </EditablePage>
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

function NamespaceDialog({ record, isDeleted = false, onClose }: RecordDialogProps<Namespace>) {
  const client = useClient()
  const navigate = useNavigate()
  const edit = useEdit({
    record,
    isDeleted,
    blank: { name: '', description: '', policies: [], roles: [] },
    contentOf: (namespace) => {
      const { policies, roles } = linkNamesOf(defaultsOf(namespace))
      return { name: namespace.Name, description: namespace.Description, policies, roles }
    },
    labels: { description: 'Description', policies: 'Default policies', roles: 'Default roles' },
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
  const { field, isNew } = edit
  const hint = 'Letters, digits, - and _, with a letter or digit at both ends.'
  return (
    <EditDialog edit={edit} what="namespace" onClose={onClose}>
      {isNew && <TextField {...field('name')} label="Name" hint={hint} name="name" />}
      <TextField {...field('description')} name="description" />
      {record && !isNew ? (
        <ClientContext value={client.withNamespace(record.Name)}>
          <NamePicker {...field('policies')} kind="policies" />
          <NamePicker {...field('roles')} kind="roles" />
        </ClientContext>
      ) : (
        <p className="field-hint">
          Default policies and roles must be in the namespace: choose them after you have created some.
        </p>
      )}
    </EditDialog>
  )
}

/** The defaults of a namespace as links, which apply to every token in it. */
function defaultsOf({ ACLs }: Namespace): Linked {
  return { Policies: ACLs.PolicyDefaults, Roles: ACLs.RoleDefaults }
}
