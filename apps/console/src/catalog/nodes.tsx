import { type NodeSummary, NotFound } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Server, ServerOff } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { Button } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'
import { type Column, TitleCell } from '../ui/table/data-table.tsx'
import { ListPage } from '../ui/table/list-page.tsx'
import { type CatalogSearch, countChecks, worstOf } from './health.ts'
import { Checks, HealthBadges, HealthFilter } from './health-badges.tsx'

const route = getRouteApi('/nodes')

const COLUMNS: readonly Column<NodeSummary>[] = [
  [
    'Node',
    'minmax(0, 3fr)',
    ({ Node, Address }) => (
      <TitleCell to="/nodes/$name" params={{ name: Node }} title={Node} sub={Address} isMono />
    ),
  ],
  ['Checks', 'minmax(0, 3fr)', ({ Checks }) => <HealthBadges counts={countChecks(Checks)} />],
  [
    'Services',
    'minmax(0, 3fr)',
    ({ Services }) => (
      <span className="truncate small secondary" style={{ display: 'block' }}>
        {[...new Set(Services.map(({ Service }) => Service))].join(', ') || 'None'}
      </span>
    ),
    { priority: 'low' },
  ],
]

export function NodesPage() {
  const { state } = route.useSearch() as CatalogSearch
  return (
    <ListPage
      title="Nodes"
      lead="The machines in this datacenter and the services on them."
      queryKey={['nodes']}
      watch={(client, options) => client.health.watchUiNodes(options)}
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

const nodeRoute = getRouteApi('/nodes/$name')

export function NodePage() {
  const { name } = nodeRoute.useParams() as { readonly name: string }
  const node = useLive(['node', name], (client, options) => client.health.watchUiNode(name, options))
  const isGone = node.error instanceof NotFound
  // The query keeps the last state of a node that was removed.
  const shown = isGone ? undefined : node.data
  return (
    <Page
      title={name}
      parent={{ to: '/nodes', label: 'Nodes' }}
      lead={shown && <HealthBadges counts={countChecks(shown.Checks)} />}
    >
      {isGone && (
        <Empty
          icon={ServerOff}
          title="This node does not exist"
          actions={<Button onClick={() => void node.refetch()}>Try again</Button>}
        >
          It was removed or never registered, or your token may not read it.
        </Empty>
      )}
      {node.error && !isGone && <Problem error={node.error} onRetry={node.refetch} />}
      {node.isPending && <Skeleton lines={6} />}
      {shown && <Node node={shown} />}
    </Page>
  )
}

function Node({ node }: { readonly node: NodeSummary }) {
  return (
    <div className="columns">
      <div className="stack">
        <Card title="Checks">
          <Checks checks={node.Checks} />
        </Card>
        <Card title="Services">
          {node.Services.length === 0 && <p className="muted">No services</p>}
          <ul className="lines">
            {node.Services.map(({ ID, Service, Address, Port }) => (
              <li key={ID}>
                <Link to="/services/$name" params={{ name: Service }}>
                  {ID === Service ? Service : `${Service} (${ID})`}
                </Link>
                <span className="mono small secondary">
                  {Address || node.Address}
                  {Port > 0 && `:${Port}`}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      </div>
      <Card title="About">
        <Facts
          facts={[
            ['Address', node.Address, 'mono'],
            ['ID', node.ID, 'mono small'],
            ...Object.entries(node.Meta ?? {}),
          ]}
        />
      </Card>
    </div>
  )
}
