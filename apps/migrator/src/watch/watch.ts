/** Follows a running upgrade until every token has its accessor. */
import { batchesDurationMs } from '@latchkey/acl'
import { counted } from '../findings/finding.ts'
import type { HttpReader } from '../scan/http-reader.ts'
import { sleep } from '../sleep.ts'
import { areInNewMode, isSilent, type Observation, observe, type SeenServer, serverText } from './observe.ts'

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
  readonly silent?: string
}

/** The pause between two reads of a token list is at least this many times the duration of a read. */
const LIST_SHARE = 5

/**
 * Observes the service until the upgrade is done, and yields each line that differs from the last. Only the first
 * observation must succeed: later, servers may not answer while they are replaced.
 */
export async function* watch(
  readers: readonly HttpReader[],
  { intervalMs, signal }: { readonly intervalMs: number; readonly signal: AbortSignal },
): AsyncGenerator<WatchLine, void> {
  const observations: Observation[] = []
  let last = ''
  for (;;) {
    const beganAt = Date.now()
    const line = await observe(readers).then(
      (observation) => {
        observations.push(observation)
        return lineOf(observations, observation)
      },
      (error: unknown) => silentLine(observations, error),
    )
    const content = JSON.stringify({ ...line, at: '' })
    if (content !== last) yield line
    last = content
    if (line.state === 'done') return
    await sleep(Math.max(intervalMs, LIST_SHARE * (Date.now() - beganAt)), signal)
  }
}

function lineOf(observations: readonly Observation[], now: Observation): WatchLine {
  const { at, state, withoutAccessor, done, batches, servers, waitsFor } = now
  const total = totalOf(observations)
  return {
    at: new Date(at).toISOString(),
    state,
    done: done ?? total - withoutAccessor,
    total: done === undefined ? total : withoutAccessor + done,
    batches: batches ?? null,
    tokensPerSecond: rateOf(observations),
    estimatedSeconds: withoutAccessor === 0 ? 0 : batchesDurationMs(withoutAccessor) / 1_000 + 1,
    servers,
    waitsFor,
  }
}

function silentLine(observations: readonly Observation[], error: unknown): WatchLine {
  const last = observations.at(-1)
  if (!isSilent(error) || last === undefined) throw error
  const { withoutAccessor, batches, servers } = last
  const total = totalOf(observations)
  return {
    ...{ at: new Date().toISOString(), state: 'silent', done: total - withoutAccessor, total, servers },
    ...{ batches: batches ?? null, tokensPerSecond: 0, estimatedSeconds: 0, waitsFor: [] },
    silent: error.message,
  }
}

function totalOf(observations: readonly Observation[]): number {
  return observations.reduce(
    (most, { withoutAccessor, done = 0 }) => Math.max(most, withoutAccessor + done),
    0,
  )
}

/** Tokens per second since the observation before the first decrease. */
function rateOf(observations: readonly Observation[]): number {
  const last = observations.at(-1)
  const begun = observations.findIndex(
    ({ withoutAccessor }, i) => withoutAccessor > (observations[i + 1]?.withoutAccessor ?? withoutAccessor),
  )
  const first = observations[begun]
  if (first === undefined || last === undefined || last.at <= first.at) return 0
  const tokens = first.withoutAccessor - last.withoutAccessor
  return Math.round((tokens / ((last.at - first.at) / 1_000)) * 10) / 10
}

/** `1,280 of 10,002 tokens have an accessor, 128 a second, 68 s left; s1 (1.8.7, new mode)`. */
export function formatLine({ state, done, total, silent, servers, waitsFor, ...speed }: WatchLine): string {
  if (state === 'done' && total === 0) return 'done: no token lacks an accessor'
  const counts = `${done.toLocaleString('en-US')} of ${counted(total, 'token')} have an accessor`
  if (silent !== undefined) return `${counts}; no server answers: ${silent}`
  const seen = servers.length === 0 ? '' : `; ${servers.map(serverText).join(', ')}`
  if (state === 'done') return `${counts}, done${seen}`
  if (state === 'waiting') {
    const what = areInNewMode(servers) ? 'accessors from the primary datacenter' : 'legacy mode to end'
    return `${counts}, waiting for ${waitsFor.length === 0 ? what : waitsFor.join('; ')}${seen}`
  }
  return `${counts}, ${speed.tokensPerSecond} a second, ${Math.ceil(speed.estimatedSeconds)} s left${seen}`
}
