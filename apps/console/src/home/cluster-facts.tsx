import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { everySecond } from '../live/queries.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { Badge } from '../ui/controls.tsx'
import { Problem } from '../ui/feedback.tsx'
import { Card, Facts } from '../ui/page.tsx'

/** Facts about the service that anyone may see. */
export function ClusterFacts() {
  const client = useClient()
  const status = useQuery({
    queryKey: ['cluster-facts'],
    queryFn: async ({ signal }) => {
      const [leader, peers, datacenters] = await Promise.all([
        client.status.leader({ signal }),
        client.status.peers({ signal }),
        client.status.datacenters({ signal }),
      ])
      return { leader, peers, datacenters }
    },
    refetchInterval: everySecond,
  })
  if (status.error) return <Problem error={status.error} onRetry={status.refetch} />
  const { leader, peers = [], datacenters = [] } = status.data ?? {}
  return (
    <Card
      title="Service"
      actions={
        status.data && <Badge tone={leader ? 'good' : 'danger'}>{leader ? 'working' : 'no leader'}</Badge>
      }
    >
      <Facts
        facts={[
          ['Server processes', peers.length || '–', 'nums'],
          ['Datacenters', datacenters.join(', ') || serverFacts.datacenter],
          [
            'API version',
            <Fragment key="version">
              {serverFacts.serviceVersion} <span className="muted">· {serverFacts.edition} edition</span>
            </Fragment>,
          ],
        ]}
      />
    </Card>
  )
}
