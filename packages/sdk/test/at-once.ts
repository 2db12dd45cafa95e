import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'vitest'
import type { LatchkeyError } from '../src/errors.ts'

/** The outcome of a promise within this turn of the event loop, or `'pending'`. */
export function atOnce<T>(promise: Promise<T>): Promise<T | 'pending'> {
  return Promise.race([promise, nextTurn('pending' as const)])
}

/** The error with which a call rejects. */
export function errorOf(call: Promise<unknown>): Promise<LatchkeyError> {
  return call.then(
    () => expect.unreachable('the call succeeded'),
    (error) => error,
  )
}
