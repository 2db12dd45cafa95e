/** Metrics of the event loop. Those of prom-client forget everything whenever they are read. */
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Metrics } from './metrics.ts'

const WINDOW_MS = 60_000
const RESOLUTION_MS = 10

/** Delays of the last one to two windows. A timer forgets old ones, and reading changes nothing. */
class EventLoopDelays {
  /** The first one has recorded for at least one window, unless the process is younger. */
  private recorders = [startRecorder(), startRecorder()] as const

  constructor() {
    setInterval(() => this.endWindow(), WINDOW_MS).unref()
  }

  endWindow(): void {
    const [older, newer] = this.recorders
    older.reset()
    this.recorders = [newer, older]
  }

  /** @returns 0 as long as nothing was recorded: an empty histogram has no mean, and a minimum of 292 years. */
  seconds(read: (delays: ELDHistogram) => number): number {
    const [delays] = this.recorders
    return delays.count === 0 ? 0 : read(delays) / 1e9
  }
}

function startRecorder(): ELDHistogram {
  const recorder = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  recorder.enable()
  return recorder
}

/** A process has one event loop, however often a start is attempted. */
export const eventLoopDelays = new EventLoopDelays()

/** Registers the metrics. Of several workers, the slowest counts. */
export function watchEventLoop(metrics: Pick<Metrics, 'gauge'>): void {
  metrics.gauge(
    'latchkey_nodejs_eventloop_lag_seconds',
    'Delay of the event loop at this moment.',
    async () => {
      const startedAt = performance.now()
      await setImmediate()
      return (performance.now() - startedAt) / 1_000
    },
  )
  const delay = (name: string, help: string, read: (delays: ELDHistogram) => number) =>
    metrics.gauge(
      `latchkey_nodejs_eventloop_lag_${name}_seconds`,
      `${help} of the event loop within the last one to two minutes.`,
      () => eventLoopDelays.seconds(read),
      name === 'min' ? 'min' : 'max',
    )
  delay('min', 'The shortest delay', ({ min }) => min)
  delay('max', 'The longest delay', ({ max }) => max)
  delay('mean', 'The mean delay', ({ mean }) => mean)
  delay('stddev', 'The standard deviation of the delays', ({ stddev }) => stddev)
  for (const percent of [50, 90, 99]) {
    delay(`p${percent}`, `The ${percent}th percentile of the delays`, (delays) => delays.percentile(percent))
  }
}
