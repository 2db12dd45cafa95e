import type { IntentionMigration, MigrationStatus } from '@latchkey/sdk'
import { useQuery } from '@tanstack/react-query'
import { countOf, durationText } from '../live/instants.ts'
import { everySecond } from '../live/queries.ts'
import { useClient } from '../session/session.ts'
import { Chart } from '../ui/chart/chart.tsx'
import { type Sample, type Sampled, sampled } from '../ui/chart/series.ts'
import { Badge, type Tone } from '../ui/controls.tsx'
import { Loaded } from '../ui/feedback.tsx'
import { Card } from '../ui/page.tsx'

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
          <Loaded query={accessors} lines={3}>
            {({ value }) => <Accessors status={value} />}
          </Loaded>
        </Card>
        <Card title="Intentions to config entries">
          <Loaded query={intentions} lines={3}>
            {(status) => <Intentions status={status} />}
          </Loaded>
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
        <span className="small secondary nums">
          {Total === 0 ? 'No legacy tokens' : `${Done.toLocaleString('en')} of ${countOf(Total, 'token')}`}
        </span>
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
        <span className="small secondary nums">
          {countOf(count, 'intention')}, {countOf(Destinations, 'destination')}
        </span>
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

/** Progress and rate of the accessor migration since the page was opened, and when it is expected to end. */
function MigrationCharts({ value, samples }: Sampled<MigrationStatus>) {
  const first = samples[0]
  const hasMoved = first !== undefined && first.value.Done !== value.Done
  if (samples.length < 2 || (value.State !== 'running' && !hasMoved)) return null
  const times = samples.map(({ at }) => at)
  return (
    <Card title="Accessors over time">
      <div className="grid-2 charts">
        <Progress samples={samples} />
        <Chart
          title="Rate"
          times={times}
          format={(rate) => `${rate.toLocaleString('en', { maximumFractionDigits: 1 })}/s`}
          lines={[
            {
              label: 'Rate',
              look: 'area',
              values: samples.map(({ value: { TokensPerSecond } }) => TokensPerSecond),
            },
          ]}
        />
      </div>
    </Card>
  )
}

/** The progress so far, and a dashed line from there to the expected end. */
function Progress({ samples }: { readonly samples: readonly Sample<MigrationStatus>[] }) {
  const times = samples.map(({ at }) => at)
  const done = samples.map(({ value }) => value.Done)
  const newest = samples.at(-1)
  const isRunning = newest?.value.State === 'running' && newest.value.EstimatedSeconds > 0
  const ahead = isRunning
    ? [{ at: newest.at + newest.value.EstimatedSeconds * 1_000, total: newest.value.Total }]
    : []
  const before = done.slice(0, -1).map(() => null)
  return (
    <Chart
      title="Progress"
      times={[...times, ...ahead.map(({ at }) => at)]}
      format={(count) => count.toLocaleString('en')}
      lines={[
        { label: 'Done', look: 'area', values: [...done, ...ahead.map(() => null)] },
        {
          label: 'Expected',
          look: 'expected',
          values: [...before, done.at(-1) ?? null, ...ahead.map(({ total }) => total)],
        },
      ]}
    />
  )
}
