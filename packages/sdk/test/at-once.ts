import { setImmediate as nextTurn } from 'node:timers/promises'

/** What a promise comes to before the event loop turns again, or `'pending'`: whether something waits, without a clock. */
export function atOnce<T>(promise: Promise<T>): Promise<T | 'pending'> {
  return Promise.race([promise, nextTurn('pending' as const)])
}
