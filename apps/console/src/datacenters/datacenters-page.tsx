import type { ReplicationStatus } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { isInstant } from '../live/instants.ts'
import { everySecond } from '../live/queries.ts'
import { serverFacts } from '../server-facts.ts'
import { useClient } from '../session/session.ts'
import { Chart } from '../ui/chart/chart.tsx'
import { type Sampled, sampled } from '../ui/chart/series.ts'
import { Badge, type Tone } from '../ui/controls.tsx'
import { Loaded } from '../ui/feedback.tsx'
import { Instant } from '../ui/instant.tsx'
import { Card, Facts, Page } from '../ui/page.tsx'
import '../ui/styles/catalog.css'

const STATE_NAMES = { copying: 'Copying', following: 'Following', waiting: 'Waiting', paused: 'Paused' }

export function DatacentersPage() {
  const client = useClient()
  const state = useQuery({
    queryKey: ['datacenters'],
    queryFn: async ({ signal, client: queries, queryKey }) => {
      const [datacenters, replication, leader] = await Promise.all([
        client.status.datacenters({ signal }),
        client.status.replication({ signal }),
        client.status.leader({ signal }),
      ])
      const before = queries.getQueryData<{ readonly history: Sampled<ReplicationStatus> }>(queryKey)
      return { datacenters, replication, leader, history: sampled(before?.history, replication) }
    },
    refetchInterval: everySecond,
  })
  return (
    <Page
      title="Datacenters"
      lead="Where tokens, policies and roles are stored, and how up to date the copies are."
    >
      <Loaded query={state}>
        {({ datacenters, replication, leader, history }) => (
          <div className="stack">
            <Card title="All datacenters">
              <ul className="lines">
                {datacenters.map((name) => (
                  <li key={name}>
                    <strong>{name}</strong>
                    <span className="row">
                      {name === replication.SourceDatacenter && <Badge tone="accent">Primary</Badge>}
                      {name === serverFacts.datacenter && <Badge>This datacenter</Badge>}
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
            <Card title="Replication">
              {replication.Enabled ? (
                <div className="stack" data-gap="large">
                  <Replication status={replication} />
                  <Lag {...history} />
                </div>
              ) : (
                <p className="secondary">
                  This datacenter does not replicate from another one.
                  {leader !== '' && ` Its leader is ${leader}.`}
                </p>
              )}
            </Card>
            <Readers status={replication} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

const TONES: Readonly<Record<string, Tone>> = {
  following: 'good',
  copying: 'accent',
  waiting: 'warn',
  paused: 'danger',
}

function Replication({ status }: { readonly status: ReplicationStatus }) {
  const { State, LagSeconds, LagIndex, LastSuccess, LastErrorMessage, Skipped } = status
  return (
    <div className="stack">
      <div className="row">
        {State !== undefined && <Badge tone={TONES[State] ?? 'plain'}>{STATE_NAMES[State]}</Badge>}
        {isInstant(LastSuccess) && (
          <span className="small secondary">
            Last answer <Instant value={LastSuccess} />
          </span>
        )}
      </div>
      {LastErrorMessage !== undefined && <p className="field-error">{LastErrorMessage}</p>}
      <Facts
        className="grid-2"
        facts={[
          ['From', status.SourceDatacenter],
          ['Policies up to index', status.ReplicatedIndex, 'nums'],
          ['Roles up to index', status.ReplicatedRoleIndex, 'nums'],
          ['Tokens up to index', status.ReplicatedTokenIndex, 'nums'],
          ['Lag', LagSeconds !== undefined && `${LagSeconds} s, ${LagIndex ?? 0} indexes`, 'nums'],
        ]}
      />
      {Skipped !== undefined && Skipped.length > 0 && (
        <div>
          <h3>Tokens that cannot be stored here</h3>
          <ul className="lines small">
            {Skipped.map(({ AccessorID, Reason }) => (
              <li key={AccessorID}>
                <span className="mono">{AccessorID}</span>
                <span className="secondary">{Reason}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

/** The age of the records since the page was opened. */
function Lag({ samples }: Sampled<ReplicationStatus>) {
  const measured = samples.filter(({ value }) => value.LagSeconds !== undefined)
  if (measured.length < 2) return null
  return (
    <Chart
      title="Lag over time"
      times={measured.map(({ at }) => at)}
      format={(seconds) => `${seconds.toLocaleString('en', { maximumFractionDigits: 1 })} s`}
      lines={[
        {
          label: 'Lag',
          look: 'area',
          values: measured.map(({ value: { LagSeconds = null } }) => LagSeconds),
        },
      ]}
    />
  )
}

function Readers({ status: { Readers: readers } }: { readonly status: ReplicationStatus }) {
  if (readers === undefined || readers.length === 0) return null
  return (
    <Card title="Datacenters that follow this one">
      <ul className="lines">
        {readers.map(({ Name, Index, Lag, LastContact }) => (
          <li key={Name}>
            <strong>{Name}</strong>
            <span className="row small secondary nums">
              <Badge tone={Lag === 0 ? 'good' : 'warn'}>
                {Lag === 0 ? 'Up to date' : `${Lag.toLocaleString('en')} behind`}
              </Badge>
              index {Index}
              <Instant value={LastContact} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
