import type { MigrationStatus } from '@latchkey/sdk'
import { Chart } from '../ui/chart/chart.tsx'
import type { Sample, Sampled } from '../ui/chart/series.ts'
import { Card } from '../ui/page.tsx'

/** Progress and rate of the accessor migration since the page was opened, and when it is expected to end. */
export function MigrationCharts({ value, samples }: Sampled<MigrationStatus>) {
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
        {
          label: 'Done',
          look: 'area',
          values: [...done, ...ahead.map(() => null)],
        },
        {
          label: 'Expected',
          look: 'expected',
          values: [...before, done.at(-1) ?? null, ...ahead.map(({ total }) => total)],
        },
      ]}
    />
  )
}
