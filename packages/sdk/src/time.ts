/** The backoff between attempts, and how a signal ends work. All times are in milliseconds. */

/** Maximum delay before a retry, unless the service asks for more. */
const RETRY_DELAY_MAX = 5_000
/** Maximum delay that a service may ask for: a watch must not stop for ever because of one answer. */
const RETRY_AFTER_MAX = 3_600_000
const RETRY_DELAY_BASE = 250

/**
 * The delay before a retry: exponential backoff with full jitter, added to the service's `Retry-After`. The jitter
 * spreads out clients that were refused together. Five retries last four seconds on average.
 *
 * @param failures number of failed attempts, from 1.
 */
export function retryDelay(failures: number, retryAfterMs = 0, delayMax = RETRY_DELAY_MAX): number {
  const bound = Math.min(delayMax, RETRY_DELAY_BASE * 2 ** Math.min(failures - 1, 20))
  return retryAfterMs + Math.random() * bound
}

/**
 * Reads a `Retry-After` header, in seconds or as an instant. An instant is compared with the service's `Date`, because
 * the local clock may be wrong.
 *
 * @returns milliseconds, at most an hour; `undefined` if the header is absent or malformed.
 */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('Retry-After')
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Math.min(RETRY_AFTER_MAX, Number(text) * 1_000)
  const until = Date.parse(text)
  if (Number.isNaN(until)) return undefined
  const serviceNow = Date.parse(headers.get('Date') ?? '')
  const waitMs = until - (Number.isNaN(serviceNow) ? Date.now() : serviceNow)
  return Math.min(RETRY_AFTER_MAX, Math.max(0, waitMs))
}

/** Settles with the promise, or rejects as soon as the signal is aborted, even if the work continues. */
export function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
