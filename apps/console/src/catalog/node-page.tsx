import { type NodeSummary, NotFound } from '@latchkey/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ServerOff } from 'lucide-react'
import { useLive } from '../live/use-live.ts'
import { useClient } from '../session/session.ts'
import { Button } from '../ui/controls.tsx'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'
import { countChecks } from './health.ts'
import { Checks, HealthBadges } from './health-badges.tsx'

const route = getRouteApi('/nodes/$name')

/** A node, its services and checks. */
export function NodePage() {
  const { name } = route.useParams() as { readonly name: string }
  const client = useClient()
  const node = useLive(['node', name], (options) => client.health.watchUiNode(name, options))
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
