import { setImmediate as nextTurn } from 'node:timers/promises'

/** The outcome of a promise within this turn of the event loop, or `'pending'`. */
export function atOnce<T>(promise: Promise<T>): Promise<T | 'pending'> {
  return Promise.race([promise, nextTurn('pending' as const)])
}
