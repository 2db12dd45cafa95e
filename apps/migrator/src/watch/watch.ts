/** Follows a running upgrade, and compares it with a prediction. */
import { batchesDurationMs } from '@latchkey/acl'
import type { Chart, Stretch } from '../report/chart/chart.ts'
import { sleep } from '../sleep.ts'
import { type Alarm, alarmsOf } from './alarms.ts'
import { type Observation, observe } from './observe.ts'
import type { Bounds, Prediction } from './prediction.ts'
import { type SeenServer, type ServiceApi, ServiceSilent } from './service-api.ts'

export interface WatchLine {
  readonly at: string
  readonly state: 'waiting' | 'running' | 'done' | 'silent'
  readonly done: number
  readonly total: number
  /** Null if the service does not count them. */
  readonly batches: number | null
  readonly tokensPerSecond: number
  readonly estimatedSeconds: number
  readonly servers: readonly SeenServer[]
  readonly waitsFor: readonly string[]
  /** Predicted number of tokens without an accessor at this time; null without a prediction. */
  readonly predictedRemaining: number | null
  readonly alarms: readonly Alarm[]
  /** Why no server answers. */
  readonly silent?: string
}

export interface WatchOptions {
  readonly apis: readonly ServiceApi[]
  /** When the schedule started: milliseconds since the epoch. */
  readonly startedAt: number
  readonly prediction: Prediction | undefined
  readonly bounds: Bounds | undefined
  readonly time: (ms: number) => string
  readonly intervalMs: number
  readonly signal: AbortSignal
}

/** The pause between two reads of a token list is at least this many times the duration of a read. */
const LIST_SHARE = 5

export class Watch {
  readonly observations: Observation[] = []
  private readonly options: WatchOptions
  private total = 0

  constructor(options: WatchOptions) {
    this.options = options
  }

  /**
   * Observes the service until the upgrade is done, and yields each line that differs from the last. Only the first
   * observation must succeed: later, servers may not answer while they are replaced.
   */
  async *lines(): AsyncGenerator<WatchLine> {
    const { apis, intervalMs, signal } = this.options
    let last = ''
    for (;;) {
      const beganAt = Date.now()
      const line = await observe(apis).then(
        (observation) => this.take(observation),
        (error: unknown) => this.silent(error),
      )
      const content = JSON.stringify({ ...line, at: '', predictedRemaining: null })
      if (content !== last) yield line
      last = content
      if (line.state === 'done') return
      await sleep(Math.max(intervalMs, LIST_SHARE * (Date.now() - beganAt)), signal)
    }
  }

  private take(observation: Observation): WatchLine {
    const { prediction, bounds, time, startedAt } = this.options
    const { at, state, withoutAccessor, done, batches, servers, waitsFor } = observation
    this.observations.push(observation)
    this.total = Math.max(this.total, withoutAccessor + (done ?? 0))
    const elapsedMs = at - startedAt
    return {
      at: new Date(at).toISOString(),
      state,
      done: done ?? this.total - withoutAccessor,
      total: done === undefined ? this.total : withoutAccessor + done,
      batches: batches ?? null,
      tokensPerSecond: this.rate(),
      estimatedSeconds: withoutAccessor === 0 ? 0 : batchesDurationMs(withoutAccessor) / 1_000 + 1,
      servers,
      waitsFor,
      predictedRemaining: prediction?.remainingAt(elapsedMs) ?? null,
      alarms: bounds === undefined ? [] : alarmsOf(observation, bounds, { elapsedMs, time }),
    }
  }

  private silent(error: unknown): WatchLine {
    const last = this.observations.at(-1)
    if (!(error instanceof ServiceSilent) || last === undefined) throw error
    const { bounds, time, startedAt } = this.options
    const at = Date.now()
    return {
      at: new Date(at).toISOString(),
      state: 'silent',
      done: this.total - last.withoutAccessor,
      total: this.total,
      batches: last.batches ?? null,
      tokensPerSecond: 0,
      estimatedSeconds: 0,
      servers: last.servers,
      waitsFor: [],
      predictedRemaining: null,
      alarms:
        bounds === undefined ? [] : alarmsOf({ ...last, at }, bounds, { elapsedMs: at - startedAt, time }),
      silent: error.message,
    }
  }

  /** Tokens per second since the observation before the first decrease. */
  private rate(): number {
    const { observations } = this
    const last = observations.at(-1)
    const begun = observations.findIndex(
      ({ withoutAccessor }, i) => withoutAccessor > (observations[i + 1]?.withoutAccessor ?? withoutAccessor),
    )
    const first = observations[begun]
    if (first === undefined || last === undefined || last.at <= first.at) return 0
    const tokens = first.withoutAccessor - last.withoutAccessor
    return Math.round((tokens / ((last.at - first.at) / 1_000)) * 10) / 10
  }

  /** The measurements so far. */
  chart(): Chart {
    const { startedAt, prediction } = this.options
    const looks = this.observations.map((each) => ({ ...each, at: Math.max(0, each.at - startedAt) }))
    const names = [...new Set(looks.flatMap(({ servers }) => servers.map(({ name }) => name)))].sort()
    const end = looks.at(-1)?.at ?? 0
    const predicted = new Map(prediction?.chart.tracks.map((each) => [each.id, each.datacenter]))
    return {
      tracks: names.map((id) => {
        const stretches = stretchesOf(id, looks)
        const last = stretches.at(-1)
        return {
          id,
          datacenter: predicted.get(id) ?? 'servers',
          isAgent: false,
          stretches,
          newModeAt: last?.look === 'new' ? last.from : undefined,
        }
      }),
      tokens: [
        {
          datacenter: 'tokens',
          points: looks.map(({ at, withoutAccessor }) => ({ at, remaining: withoutAccessor })),
        },
      ],
      clients: [],
      marks: [],
      busyUntil: end,
      end: Math.max(1_000, end),
    }
  }
}

/** The states of a server, from each change to the next. */
function stretchesOf(id: string, looks: readonly Observation[]): Stretch[] {
  const stretches: Stretch[] = []
  for (const { at, servers } of looks) {
    const seen = servers.find(({ name }) => name === id)
    const look = seen === undefined || seen.status !== 'alive' ? 'down' : (seen.mode ?? 'old')
    const version = seen?.version ?? ''
    const last = stretches.at(-1)
    if (last?.look === look && last.version === version) continue
    if (last !== undefined) stretches[stretches.length - 1] = { ...last, to: at }
    stretches.push({ from: at, to: undefined, look, version, leads: false })
  }
  return stretches
}
