import type { NodeSummary } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { type Column, DataTable } from '../ui/table/data-table.tsx'
import { CatalogList } from './catalog-list.tsx'
import { countChecks, isSearched, type ListSearch } from './health.ts'
import { HealthBadges } from './health-badges.tsx'

const route = getRouteApi('/nodes')

const COLUMNS: readonly Column<NodeSummary>[] = [
  {
    id: 'name',
    header: 'Node',
    track: 'minmax(0, 3fr)',
    cell: ({ Node, Address }) => (
      <span className="cell-title">
        <Link to="/nodes/$name" params={{ name: Node }} preload={false} className="cell-link truncate">
          {Node}
        </Link>
        <span className="cell-sub mono truncate">{Address}</span>
      </span>
    ),
  },
  {
    id: 'health',
    header: 'Checks',
    track: 'minmax(0, 3fr)',
    cell: ({ Checks }) => <HealthBadges counts={countChecks(Checks)} />,
  },
  {
    id: 'services',
    header: 'Services',
    track: 'minmax(0, 3fr)',
    priority: 'low',
    cell: ({ Services }) => (
      <span className="truncate small secondary" style={{ display: 'block' }}>
        {[...new Set(Services.map(({ Service }) => Service))].join(', ') || 'None'}
      </span>
    ),
  },
]

export function NodesPage() {
  const client = useClient()
  const search = route.useSearch() as ListSearch
  const navigate = route.useNavigate()
  const nodes = useLive(['nodes'], (options) => client.health.watchUiNodes(options))
  const shown = (nodes.data ?? []).filter(({ Node, Address, Services, Checks }) =>
    isSearched(search, {
      texts: [Node, Address, ...Services.map(({ Service }) => Service)],
      counts: countChecks(Checks),
    }),
  )
  return (
    <CatalogList
      title="Nodes"
      lead="The machines in this datacenter and the services on them."
      icon={Server}
      emptyTitle="No nodes"
      empty="None are registered, or your token may not read them."
      query={nodes}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      shown={shown}
    >
      <DataTable
        label="Nodes"
        columns={COLUMNS}
        rows={shown}
        keyOf={({ Node }) => Node}
        narrowTracks="minmax(0, 1fr) minmax(0, auto)"
      />
    </CatalogList>
  )
}
