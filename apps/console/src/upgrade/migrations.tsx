import type { IntentionMigration, MigrationStatus } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { durationText } from '../live/instants.ts'
import { everySecond } from '../live/queries.ts'
import { useClient } from '../session/session.ts'
import { type Sampled, sampled } from '../ui/chart/series.ts'
import { Badge, type Tone } from '../ui/controls.tsx'
import { Problem, Skeleton } from '../ui/feedback.tsx'
import { Card } from '../ui/page.tsx'
import { MigrationCharts } from './migration-charts.tsx'

const STATE_NAMES = {
  waiting: 'Waiting',
  running: 'Running',
  migrating: 'Running',
  done: 'Done',
  none: 'Not started',
}

const ACCESSORS_TEXTS = {
  waiting: 'Starts when legacy mode ends.',
  done: 'Every token has an accessor, so the API can manage it.',
}

const INTENTIONS_TEXTS = {
  none: 'Starts with the first server that runs 1.9.0.',
  waiting: 'Writes are refused until all servers are ready and the migration is done.',
  done: 'Intentions are stored as config entries, and both APIs work.',
}

/** The accessor migration and the intentions migration. */
export function Migrations() {
  const client = useClient()
  const accessors = useQuery({
    queryKey: ['migration', 'accessors'],
    queryFn: async ({ signal, client: queries, queryKey }) =>
      sampled(
        queries.getQueryData<Sampled<MigrationStatus>>(queryKey),
        await client.status.migration({ signal }),
      ),
    refetchInterval: everySecond,
  })
  const intentions = useQuery({
    queryKey: ['migration', 'intentions'],
    queryFn: ({ signal }) => client.intentions.migration({ signal }),
    refetchInterval: everySecond,
  })
  return (
    <>
      <div className="grid-2">
        <Card title="Accessors for legacy tokens">
          {accessors.error && <Problem error={accessors.error} onRetry={accessors.refetch} />}
          {accessors.isPending && <Skeleton lines={3} />}
          {accessors.data && <Accessors status={accessors.data.value} />}
        </Card>
        <Card title="Intentions to config entries">
          {intentions.error && <Problem error={intentions.error} onRetry={intentions.refetch} />}
          {intentions.isPending && <Skeleton lines={3} />}
          {intentions.data && <Intentions status={intentions.data} />}
        </Card>
      </div>
      {accessors.data && <MigrationCharts {...accessors.data} />}
    </>
  )
}

const TONES: Readonly<Record<string, Tone>> = { done: 'good', none: 'plain', waiting: 'warn' }

function Accessors({ status }: { readonly status: MigrationStatus }) {
  const { State, Done, Total, TokensPerSecond, EstimatedSeconds, LastError, WaitsFor } = status
  return (
    <div className="stack" data-gap="small">
      <div className="row">
        <Badge tone={TONES[State] ?? 'accent'}>{STATE_NAMES[State]}</Badge>
        <span className="small secondary nums">{progressText(Done, Total)}</span>
      </div>
      {Total > 0 && (
        <progress className="progress" aria-label="Accessors for legacy tokens" value={Done} max={Total} />
      )}
      <p className="small secondary nums">
        {State === 'running'
          ? `${TokensPerSecond} tokens per second, about ${durationText(EstimatedSeconds * 1_000)} left`
          : ACCESSORS_TEXTS[State]}
      </p>
      <WaitsForList items={WaitsFor} />
      {LastError !== undefined && <p className="field-error">{LastError}</p>}
    </div>
  )
}

function Intentions({ status }: { readonly status: IntentionMigration }) {
  const { State, Intentions: count, Destinations, EstimatedSeconds, WaitsFor } = status
  return (
    <div className="stack" data-gap="small">
      <div className="row">
        <Badge tone={TONES[State] ?? 'accent'}>{STATE_NAMES[State]}</Badge>
        <span className="small secondary nums">{intentionsText(count, Destinations)}</span>
      </div>
      <p className="small secondary">
        {State === 'migrating'
          ? `About ${durationText(EstimatedSeconds * 1_000)} left`
          : INTENTIONS_TEXTS[State]}
      </p>
      <WaitsForList items={WaitsFor} />
    </div>
  )
}

function WaitsForList({ items }: { readonly items: readonly string[] | undefined }) {
  if (items === undefined || items.length === 0) return null
  return (
    <div>
      <h3>Waiting for</h3>
      <ul className="small secondary">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </div>
  )
}

function progressText(done: number, total: number): string {
  return total === 0
    ? 'No legacy tokens'
    : `${done.toLocaleString('en')} of ${total.toLocaleString('en')} tokens`
}

function intentionsText(count: number, destinations: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'intention' : 'intentions'}, ${destinations.toLocaleString('en')} ${destinations === 1 ? 'destination' : 'destinations'}`
}
