/** The terminal view of a running upgrade: a few lines that overwrite themselves. */
import type { Paint } from '../cli/io.ts'
import { counted } from '../findings/finding.ts'
import type { Chart } from '../report/chart/chart.ts'
import { areInNewMode, serverText } from './observe.ts'
import type { Prediction } from './prediction.ts'
import type { WatchLine } from './watch.ts'
import { wayBackNow } from './way-back-now.ts'

const BAR_WIDTH = 30
const SPARK_WIDTH = 40
const SPARKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const

/** `[=====>    ] 1,280 of 10,002 tokens have an accessor, 128 a second, 68 s left`. */
export function formatProgress({
  state,
  done,
  total,
  tokensPerSecond,
  estimatedSeconds,
  silent,
  servers,
}: WatchLine): string {
  if (state === 'done' && total === 0) return 'done: no token lacks an accessor'
  const filled = total === 0 ? BAR_WIDTH : Math.round((done / total) * BAR_WIDTH)
  const bar = `[${'='.repeat(filled).padEnd(BAR_WIDTH)}]`
  const counts = `${done.toLocaleString('en-US')} of ${counted(total, 'token')}`
  if (silent !== undefined) return `${bar} ${counts}; no server answers: ${silent}`
  if (state === 'waiting') {
    const what = areInNewMode(servers) ? 'accessors from the primary datacenter' : 'legacy mode to end'
    return `${bar} ${counts}, waiting for ${what}`
  }
  if (state === 'done') return `${bar} ${counts}, done`
  return `${bar} ${counts}, ${tokensPerSecond} a second, ${Math.ceil(estimatedSeconds)} s left`
}

interface LiveFacts {
  readonly prediction: Prediction | undefined
  readonly measured: Chart
  /** Shows a time from the start of the schedule. */
  readonly time: (ms: number) => string
  readonly paint: Paint
}

/** The whole view: progress, predicted and measured tokens on one axis, servers, way back, alarms. */
export function formatLive(line: WatchLine, { prediction, measured, time, paint }: LiveFacts): string[] {
  const { servers, alarms, waitsFor, state, total, done } = line
  const way = wayBackNow(servers, {
    hasAccessors: total > 0 && done === total,
    ways: prediction?.waysBack ?? [],
  })
  return [
    formatProgress(line),
    ...sparkLines(prediction?.chart, measured, time),
    ...(servers.length === 0
      ? []
      : [
          `servers    ${servers
            .map((each) => paint(each.mode === 'new' ? 'green' : 'yellow', serverText(each)))
            .join(', ')}`,
        ]),
    ...(state === 'waiting' && waitsFor.length > 0 ? [`waits for  ${waitsFor.join('; ')}`] : []),
    ...(way === undefined
      ? []
      : [
          `way back   ${way.isOpen ? paint('green', 'open') : paint('red', 'snapshot only')}: ${way.how}`,
          ...(way.lost.length === 0 ? [] : [`           lost: ${way.lost.join('; ')}`]),
        ]),
    ...alarms.map(({ text }) => paint('red', `ALARM      ${text}`)),
  ]
}

/** Tokens without an accessor, predicted and measured, over the same period. */
function sparkLines(predicted: Chart | undefined, measured: Chart, time: (ms: number) => string): string[] {
  if (predicted === undefined) return []
  const end = Math.max(predicted.end, measured.end)
  const most = Math.max(
    1,
    ...[predicted, measured].flatMap(({ tokens }) =>
      tokens.flatMap(({ points }) => points.map(({ remaining }) => remaining)),
    ),
  )
  const spark = ({ tokens }: Chart, until: number) => {
    const points = tokens[0]?.points ?? []
    return Array.from({ length: SPARK_WIDTH }, (_, i) => {
      const at = ((i + 0.5) / SPARK_WIDTH) * end
      const remaining = at > until ? undefined : points.findLast((each) => each.at <= at)?.remaining
      if (remaining === undefined) return ' '
      return remaining === 0 ? '_' : SPARKS[Math.min(7, Math.ceil((remaining / most) * 8) - 1)]
    }).join('')
  }
  return [
    `predicted  ${spark(predicted, end)}  ${time(0)} to ${time(end)}`,
    `measured   ${spark(measured, measured.end)}`,
  ]
}
