import type { NodeSummary } from '@latchkey/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { Server } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { type CatalogSearch, countChecks, worstOf } from './health.ts'
import { HealthBadges, HealthFilter } from './health-badges.tsx'

const route = getRouteApi('/nodes')

const COLUMNS: readonly Column<NodeSummary>[] = [
  {
    header: 'Node',
    track: 'minmax(0, 3fr)',
    cell: ({ Node, Address }) => (
      <TitleCell
        to="/nodes/$name"
        params={{ name: Node }}
        preload={false}
        title={Node}
        sub={Address}
        isMono
      />
    ),
  },
  {
    header: 'Checks',
    track: 'minmax(0, 3fr)',
    cell: ({ Checks }) => <HealthBadges counts={countChecks(Checks)} />,
  },
  {
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
  const { state } = route.useSearch() as CatalogSearch
  const nodes = useLive(['nodes'], (options) => client.health.watchUiNodes(options))
  return (
    <ListPage
      title="Nodes"
      lead="The machines in this datacenter and the services on them."
      query={nodes}
      columns={COLUMNS}
      keyOf={({ Node }) => Node}
      textsOf={({ Node, Address, Services }) => [Node, Address, ...Services.map(({ Service }) => Service)]}
      searchLabel="Search name, tag, node…"
      empty={{
        icon: Server,
        title: 'No nodes',
        text: 'None are registered, or your token may not read them.',
      }}
      narrowTracks="minmax(0, 1fr) minmax(0, auto)"
      filters={<HealthFilter state={state} />}
      isShown={({ Checks }) => state === undefined || worstOf(countChecks(Checks)) === state}
    />
  )
}
