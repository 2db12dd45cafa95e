/**
 * Following a record or a list with blocking queries: one request at a time, so one connection per watch, and none
 * while the loop body runs. A slow consumer skips states but never misses the last one. Spec 4.1.
 */
import { absentAs } from './absence.ts'
import type { EndpointName } from './contract.ts'
import { ContractBroken, LatchkeyError, NotFound, Unavailable } from './errors.ts'
import type { WithMeta } from './meta.ts'
import { count, type ReadOptions, type Settings, type WatchOptions } from './options.ts'
import { retryDelay, sleep } from './time.ts'

/** Maximum pause between two attempts of a watch whose service does not answer, in milliseconds. */
const WATCH_DELAY_MAX = 30_000

/** Placeholder index for an absence without one. */
const ABSENT = 'absent'
/** Idle answers that such an absence counts as at least, so that polling for it backs off. */
const POLL_IDLE_MIN = 3

/** Faults of a service that stopped, unlike those of a proxy that waited too long for it. */
const WENT_AWAY: ReadonlySet<number | undefined> = new Set([undefined, 502, 503])

/** The watched states, from the current one on; see {@link WatchOptions} for how it ends. */
export interface Watch<T> {
  next(): Promise<IteratorResult<WithMeta<T>, undefined>>
  /** Ends the watch and its request in flight. `break` calls it. */
  return(): Promise<IteratorResult<WithMeta<T>, undefined>>
  [Symbol.asyncIterator](): Watch<T>
}

/** What is watched. */
export interface WatchSource<T> {
  readonly endpoint: EndpointName
  /** One read with the watch's options. It does not retry; the watch does. */
  read(options: ReadOptions): Promise<WithMeta<T>>
}

/** Watches a list, or a record whose absence ends the watch with {@link NotFound}. */
export function watch<T>(settings: Settings, source: WatchSource<T>, options: WatchOptions = {}): Watch<T> {
  const end = new AbortController()
  const { signal } = options
  const onAbort = (): void => end.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const states = follow(settings, source, options, end.signal)
  let isReturned = false
  const close = (): void => signal?.removeEventListener('abort', onAbort)
  return {
    async next() {
      try {
        const result = await states.next()
        if (result.done) close()
        return result
      } catch (error) {
        close()
        if (isReturned) return { done: true, value: undefined }
        throw error
      }
    },
    // Also aborts the request in flight: a generator alone would first wait for minutes.
    async return() {
      isReturned = true
      close()
      end.abort()
      await states.return(undefined).catch(() => undefined)
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Watches a record that may be absent: the watch yields `undefined` then, and continues. */
export function watchRecord<T>(
  settings: Settings,
  source: WatchSource<T>,
  options?: WatchOptions,
): Watch<T | undefined> {
  const { endpoint } = source
  return watch<T | undefined>(
    settings,
    { endpoint, read: (readOptions) => source.read(readOptions).catch(asAbsent) },
    options,
  )
}

function asAbsent(error: unknown): WithMeta<undefined> {
  if (!(error instanceof NotFound)) throw error
  return absentAs(undefined, error)
}

async function* follow<T>(
  settings: Settings,
  source: WatchSource<T>,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<WithMeta<T>, undefined, undefined> {
  const wait = Math.min(options.wait ?? settings.waitSlice, settings.waitSlice)
  const retries = count('retries', options.retries ?? Number.MAX_SAFE_INTEGER)
  const common = { ...options, wait, signal, retries: 0 }
  /** Index of the state that was yielded last; `undefined` before the first. */
  let seen: number | typeof ABSENT | undefined = options.index
  /** Index to wait for; 0 asks for the present state at once. */
  let index = options.index ?? 0
  let failures = 0
  /** Consecutive immediate answers without change; the watch backs off from a service that does not wait. */
  let idle = 0
  for (;;) {
    const startedAt = performance.now()
    let answer: WithMeta<T>
    try {
      answer = await source.read({ ...common, index })
    } catch (error) {
      if (!isTransient(error) || failures >= retries) throw error
      failures += 1
      // What comes back may have lost commits, and would let the watch wait for an index that it reaches much later.
      if (error.kind === 'unavailable' && WENT_AWAY.has(error.status)) index = 0
      await sleep(announceRetry(settings, error, failures), signal)
      continue
    }
    const isQuick = performance.now() - startedAt < wait / 2
    const current = indexOf(answer, source.endpoint)
    const isNew = current !== seen
    // That the present state can be read does not mean that it can be waited for.
    if (index > 0 || isNew) failures = 0
    // An index that went backward belongs to another history: start over with the current state.
    const isReset = typeof current === 'number' && typeof seen === 'number' && current < seen
    if (isNew) {
      seen = current
      yield answer
    }
    if (current === ABSENT) idle = Math.max(idle + 1, POLL_IDLE_MIN)
    else if (isReset || (index > 0 && !isNew && isQuick)) idle += 1
    else if (index > 0) idle = 0
    index = isReset || current === ABSENT ? 0 : Math.max(1, current)
    if (idle > 1) await sleep(retryDelay(idle, 0, WATCH_DELAY_MAX), signal)
  }
}

/** An absence without index cannot be waited for, so the watch polls. */
function indexOf(answer: WithMeta<unknown>, endpoint: EndpointName): number | typeof ABSENT {
  if (answer.index !== undefined) return answer.index
  if (answer.value === undefined) return ABSENT
  const message = `${endpoint}: the answer has no index header of the family that headerPrefix names`
  throw new ContractBroken({ message, endpoint, status: 200, meta: answer })
}

function isTransient(error: unknown): error is LatchkeyError {
  return error instanceof LatchkeyError && (error.kind === 'unavailable' || error.kind === 'timeout')
}

/** Calls the hook and returns how long to wait, in milliseconds. */
function announceRetry(settings: Settings, error: LatchkeyError, failures: number): number {
  const retryAfterMs = error instanceof Unavailable ? error.retryAfterMs : 0
  const delayMs = retryDelay(failures, retryAfterMs, WATCH_DELAY_MAX)
  settings.onRetry({ endpoint: error.endpoint, attempt: failures, delayMs, error })
  return delayMs
}
