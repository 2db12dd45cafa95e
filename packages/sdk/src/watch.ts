/**
 * Watches a record or a list with blocking queries. A watch has at most one request in flight, and none while the loop
 * body runs. A slow consumer skips states but never misses the last one. Spec 4.1.
 */
import { absentAs } from './absence.ts'
import { type EndpointName, sleep } from './contract.ts'
import { ContractBroken, LatchkeyError, NotFound, Unavailable } from './errors.ts'
import type { WithMeta } from './meta.ts'
import { count, type ReadOptions, type Settings, type WatchOptions } from './options.ts'
import { retryDelay } from './time.ts'

/** Maximum pause between a watch's attempts while the service does not answer, in milliseconds. */
const WATCH_DELAY_MAX = 30_000

/** Placeholder for the index of an absent record whose answer has no index. */
const ABSENT = 'absent'
/** Minimum idle count for such an absence, which makes polling back off from the start. */
const POLL_IDLE_MIN = 3

/** Failures that mean that the service stopped, unlike the timeout of a proxy. */
const WENT_AWAY: ReadonlySet<number | undefined> = new Set([undefined, 502, 503])

/** The watched states, from the current one on. {@link WatchOptions} says how a watch ends. */
export interface Watch<T> {
  next(): Promise<IteratorResult<WithMeta<T>, undefined>>
  /** Ends the watch and its request in flight. `break` calls it. */
  return(): Promise<IteratorResult<WithMeta<T>, undefined>>
  [Symbol.asyncIterator](): Watch<T>
}

/** The read that a watch repeats. */
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
    // Aborts the request in flight; the generator's own `return` would wait for its answer, for minutes.
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

/** Watches a record that may be absent: the watch yields `undefined` while it is, and continues. */
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
  /** Index of the last state yielded; `undefined` before the first. */
  let seen: number | typeof ABSENT | undefined = options.index
  /** Index to wait for; 0 reads the current state at once. */
  let index = options.index ?? 0
  let failures = 0
  /** Consecutive immediate answers without a change. If the service does not wait, the watch backs off. */
  let idle = 0
  for (;;) {
    const startedAt = performance.now()
    let answer: WithMeta<T>
    try {
      answer = await source.read({ ...common, index })
    } catch (error) {
      if (!isTransient(error) || failures >= retries) throw error
      failures += 1
      // After a failure, the service may have lost commits and would reach the awaited index much later.
      if (error.kind === 'unavailable' && WENT_AWAY.has(error.status)) index = 0
      await sleep(announceRetry(settings, error, failures), signal)
      continue
    }
    const isQuick = performance.now() - startedAt < wait / 2
    const current = indexOf(answer, source.endpoint)
    const isNew = current !== seen
    // A successful read of the same state does not show that a blocking query would succeed.
    if (index > 0 || isNew) failures = 0
    // A lower index belongs to another history: start over with the current state.
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

/** The index of an answer, or ABSENT if an absent record has none: the watch then polls instead of blocking. */
function indexOf(answer: WithMeta<unknown>, endpoint: EndpointName): number | typeof ABSENT {
  if (answer.index !== undefined) return answer.index
  if (answer.value === undefined) return ABSENT
  const message = `${endpoint}: the answer has no index header of the family that headerPrefix names`
  throw new ContractBroken({ message, endpoint, status: 200, meta: answer })
}

function isTransient(error: unknown): error is LatchkeyError {
  return error instanceof LatchkeyError && (error.kind === 'unavailable' || error.kind === 'timeout')
}

/** Calls `onRetry` and returns the delay, in milliseconds. */
function announceRetry(settings: Settings, error: LatchkeyError, failures: number): number {
  const retryAfterMs = error instanceof Unavailable ? error.retryAfterMs : 0
  const delayMs = retryDelay(failures, retryAfterMs, WATCH_DELAY_MAX)
  settings.onRetry({ endpoint: error.endpoint, attempt: failures, delayMs, error })
  return delayMs
}
