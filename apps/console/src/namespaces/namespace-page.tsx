import type { Namespace } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Layers, LogIn } from 'lucide-react'
import { LinkBadges } from '../links/link-badges.tsx'
import { useLive } from '../live/use-live.ts'
import { Counts } from '../policies/counts.tsx'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Card, Page } from '../ui/page.tsx'
import { type Editing, RecordActions, RecordPage } from '../ui/record-page.tsx'
import { defaultsOf, NamespaceDialog } from './namespace-dialog.tsx'

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
