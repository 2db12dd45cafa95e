/** Abortable waits, for browsers too. All times are in milliseconds. */

/** Maximum delay of a timer; a longer one would fire at once. */
const TIMER_MAX = 2_147_483_647

/** A timer that supports long waits, including `Infinity`. Cancel it with `clearTimeout`. */
export function startTimer(ms: number, action: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(action, Math.min(ms, TIMER_MAX))
}

/** Resolves after `ms`; rejects with the signal's reason as soon as the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = startTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
