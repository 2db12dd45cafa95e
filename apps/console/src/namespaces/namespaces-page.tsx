import type { Namespace } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Layers, Plus } from 'lucide-react'
import { LinkBadges } from '../links/link-badges.tsx'
import { useOnce } from '../live/use-kept.ts'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { Button } from '../ui/controls.tsx'
import { Page } from '../ui/page.tsx'
import type { Column } from '../ui/table/data-table.tsx'
import type { ListSearch } from '../ui/table/list-search.ts'
import { RecordList } from '../ui/table/record-list.tsx'
import { defaultsOf, NamespaceDialog } from './namespace-dialog.tsx'

const route = getRouteApi('/namespaces')

const COLUMNS: readonly Column<Namespace>[] = [
  {
    id: 'name',
    header: 'Name',
    track: 'minmax(0, 1fr)',
    cell: ({ Name, Description }) => (
      <span className="cell-title">
        <Link to="/namespaces/$name" params={{ name: Name }} className="cell-link truncate">
          {Name}
        </Link>
        <span className="cell-sub truncate">{Description}</span>
      </span>
    ),
  },
  {
    id: 'defaults',
    header: 'Defaults',
    track: 'minmax(0, 1fr)',
    priority: 'low',
    cell: (namespace) => <LinkBadges record={defaultsOf(namespace)} none="No defaults" />,
  },
]

/** Separate sets of tokens, policies, roles and keys (extended edition). */
export function NamespacesPage() {
  const search = route.useSearch() as ListSearch
  const navigate = route.useNavigate()
  const client = useClient()
  const rights = useRights()
  const mayCreate = useOnce(rights.operatorWrite)
  const namespaces = useLive(['namespaces'], (options) => client.namespaces.watchList(options))
  const go = (next: ListSearch) => void navigate({ search: next, replace: true })
  return (
    <Page
      title="Namespaces"
      lead="Separate sets of tokens, policies, roles and keys."
      actions={
        rights.operatorWrite && (
          <Button look="primary" onClick={() => go({ ...search, create: true })}>
            <Plus aria-hidden />
            Create namespace
          </Button>
        )
      }
    >
      <RecordList
        label="Namespaces"
        records={namespaces.data}
        error={namespaces.error}
        onRetry={namespaces.refetch}
        columns={COLUMNS}
        keyOf={({ Name }) => Name}
        textOf={({ Name, Description }) => `${Name} ${Description}`}
        q={search.q}
        onSearch={(q) => go(q === undefined ? {} : { q })}
        empty={{ icon: Layers, title: 'No namespaces', text: 'Your token may not read any namespace.' }}
        narrowTracks="minmax(0, 1fr)"
      />
      {search.create && mayCreate && <NamespaceDialog onClose={() => go(search.q ? { q: search.q } : {})} />}
    </Page>
  )
}
