/** Follows a running upgrade until every token has its accessor. */
import { batchesDurationMs } from '@latchkey/acl'
import { counted } from '../findings/finding.ts'
import type { HttpReader } from '../scan/http-reader.ts'
import { formatTime } from '../scenario/time.ts'
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
  /** Why no server answers. */
  readonly silent?: string
}

/** The pause between two reads of a token list is at least this many times the duration of a read. */
const LIST_SHARE = 5

/** Yields each line that differs from the last, until done. Only the first observation must succeed. */
export async function* watch(
  readers: readonly HttpReader[],
  { intervalMs, signal }: { readonly intervalMs: number; readonly signal: AbortSignal },
): AsyncGenerator<WatchLine, void> {
  let last: Observation | undefined
  /** The observation before the first decrease. */
  let begun: Observation | undefined
  let content = ''
  for (;;) {
    const beganAt = Date.now()
    let line: WatchLine
    try {
      const now = await observe(readers)
      if (last !== undefined && now.withoutAccessor < last.withoutAccessor) begun ??= last
      last = now
      line = lineOf(now, begun)
    } catch (error) {
      if (!isSilent(error) || last === undefined) throw error
      const known = lineOf({ ...last, at: Date.now(), waitsFor: [] }, undefined)
      line = { ...known, state: 'silent', estimatedSeconds: 0, silent: error.message }
    }
    const next = JSON.stringify({ ...line, at: '' })
    if (next !== content) yield line
    content = next
    if (line.state === 'done') return
    await sleep(Math.max(intervalMs, LIST_SHARE * (Date.now() - beganAt)), signal)
  }
}

function lineOf(now: Observation, begun: Observation | undefined): WatchLine {
  const { at, state, withoutAccessor, done, batches, servers, waitsFor } = now
  const seconds = begun === undefined ? 0 : (at - begun.at) / 1_000
  const given = begun === undefined ? 0 : begun.withoutAccessor - withoutAccessor
  return {
    at: new Date(at).toISOString(),
    state,
    done,
    total: withoutAccessor + done,
    batches: batches ?? null,
    tokensPerSecond: seconds > 0 ? Math.round((given / seconds) * 10) / 10 : 0,
    estimatedSeconds: withoutAccessor === 0 ? 0 : batchesDurationMs(withoutAccessor) / 1_000 + 1,
    servers,
    waitsFor,
  }
}

/** `1,280 of 10,002 tokens have an accessor, 128 a second, 1 min 8 s left; s1 (1.8.7, new mode)`. */
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
  return `${counts}, ${speed.tokensPerSecond} a second, ${formatTime(Math.ceil(speed.estimatedSeconds))} left${seen}`
}
