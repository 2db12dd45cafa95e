/**
 * A call with its retries. Reads are retried after a network failure, a timeout, 429, 502, 503 and 504;
 * writes only if no attempt can have been applied, or if a retry gives the same result.
 */

import {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  refuseUnknownNames,
  sleep,
  startTimer,
  WAIT_JITTER_DIVISOR,
} from '../contract.ts'
import { LatchkeyError, NotFound, Timeout, Unavailable } from '../errors.ts'
import type { WithMeta } from '../meta.ts'
import {
  type Consistency,
  checkCallNames,
  count,
  positive,
  type ReadOptions,
  type Settings,
} from '../options.ts'
import { retryDelay, until } from '../time.ts'
import type { AnswerTypes } from '../types.ts'
import { attempt } from './attempt.ts'
import { type Call, type CallOf, factsOf, isWrite, type QueryValue } from './call.ts'

/** Statuses worth a retry. A 500 is a fault of the service and would recur. */
const REPEATABLE_STATUSES: ReadonlySet<number | undefined> = new Set([undefined, 408, 429, 502, 503, 504])

/**
 * Sends a call until it succeeds, is refused, or must not be retried. A long blocking query is split into several
 * requests.
 *
 * @returns the answer, with a value of the contract's type. For endpoints with several shapes, the caller chooses `T`.
 * @throws LatchkeyError, or the reason of the caller's signal.
 */
export async function send<N extends EndpointName, T = AnswerTypes[N]>(
  settings: Settings,
  call: CallOf<N>,
): Promise<WithMeta<T>> {
  const { index = 0, wait, consistency }: ReadOptions = call.options
  checkCallNames(call.options, call.ownNames)
  const { query = [] }: Endpoint = ENDPOINTS[call.endpoint]
  refuseUnknownNames('filter', call.query ?? {}, query)
  const mode = consistencyQuery(call, consistency ?? settings.consistency)
  count('index', index)
  if (index === 0) return await repeat<T>(settings, call, mode, 0)
  let left = positive('wait', wait ?? settings.waitSlice)
  for (;;) {
    const slice = Math.min(left, settings.waitSlice)
    left -= slice
    try {
      const answer = await repeat<T>(settings, call, { ...mode, index, wait: `${slice}ms` }, slice)
      if (left <= 0 || answer.index !== index) return answer
    } catch (error) {
      // A blocking query can also wait for an absent record.
      if (left <= 0 || !(error instanceof NotFound) || error.index !== index) throw error
    }
  }
}

/**
 * Sends one request with its retries.
 *
 * @param waitMs how long the service may wait before it answers, excluding jitter.
 */
async function repeat<T>(
  settings: Settings,
  call: Call,
  waiting: Readonly<Record<string, QueryValue>>,
  waitMs: number,
): Promise<WithMeta<T>> {
  const { options } = call
  const patience = waitMs + waitMs / WAIT_JITTER_DIVISOR
  const attemptLimit =
    positive('attemptTimeout', options.attemptTimeout ?? settings.attemptTimeout) + patience
  const deadline = performance.now() + positive('timeout', options.timeout ?? settings.timeout) + patience
  const retries = count('retries', options.retries ?? settings.retries)
  let presented: string | undefined
  const { replace } = settings.token
  let mayReplace = replace !== undefined
  const token = async (): Promise<string | undefined> => {
    presented = await settings.token()
    return presented
  }
  let maybeApplied = false
  for (let failures = 1; ; failures += 1) {
    try {
      const limit = Math.min(attemptLimit, Math.max(1, deadline - performance.now()))
      // The kind of the value was checked against the contract; its exact type is not checked.
      return (await attempt({ ...settings, token }, { ...call, maybeApplied }, limit, waiting)) as WithMeta<T>
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error
      const own = maybeApplied ? await call.recover?.(error) : undefined
      if (own !== undefined) return own as WithMeta<T>
      if (mayReplace && error.code === 'caller_unknown') {
        mayReplace = false
        const limitMs = deadline - performance.now()
        if (await within({ ...call, maybeApplied }, limitMs, async () => replace?.(presented))) continue
      }
      // An error of the login that a session needs first does not concern the call itself.
      const isOwn = error.endpoint === call.endpoint
      maybeApplied ||= isOwn && error.maybeApplied
      const delayMs = retryDelay(failures, error instanceof Unavailable ? error.retryAfterMs : 0)
      // Timers truncate to milliseconds, so the last attempt may end just before the call.
      const isLate = performance.now() + delayMs + 1 >= deadline
      if (failures > retries || isLate || !mayRepeat(call, error, maybeApplied)) throw error
      settings.onRetry({ endpoint: call.endpoint, attempt: failures, delayMs, error })
      await sleep(delayMs, options.signal)
    }
  }
}

/**
 * Waits for another secret until the call's deadline. A login or a token source may take longer, and is not stopped.
 *
 * @throws Timeout, or the reason of the caller's signal.
 */
async function within<T>(call: Call, limitMs: number, work: () => Promise<T>): Promise<T> {
  const end = new AbortController()
  const { signal } = call.options
  const onAbort = (): void => end.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const message = `${call.endpoint}: no other token within ${Math.round(limitMs)} ms`
  const timer = startTimer(limitMs, () => end.abort(new Timeout({ ...factsOf(call, false), message })))
  try {
    return await until(end.signal, work())
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function mayRepeat(call: Call, error: LatchkeyError, maybeApplied: boolean): boolean {
  if (error.kind !== 'unavailable' && error.kind !== 'timeout') return false
  if (!REPEATABLE_STATUSES.has(error.status)) return false
  if (!isWrite(call.endpoint) || !maybeApplied) return true
  // After a gateway timeout (504), which a forwarding server also returns, the first attempt may still be in flight.
  const isPending = error.kind === 'timeout' || error.status === 504
  return call.repeatable === 'always' || (call.repeatable === 'unlessPending' && !isPending)
}

function consistencyQuery(call: Call, consistency: Consistency): Readonly<Record<string, QueryValue>> {
  const endpoint: Endpoint = ENDPOINTS[call.endpoint]
  return (endpoint.blocking || call.hasModes) && consistency !== 'default' ? { [consistency]: true } : {}
}
