import { aMethod, aToken } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { idleHorizon, idleLimitOf, idleLimitOfMethod, isSurelyUsed, isUseWritten } from './expiration.ts'

const SET = Date.UTC(2026, 0, 31, 12)
const at = (ms: number) => new Date(SET + ms).toISOString()
const method = aMethod({ IdleTTL: '10m0s', IdleSince: at(0) })
const limit = { ttlMs: 600_000, since: SET }

test('idle time counts from the login or from when the limit was set, whichever is later', () => {
  expect(idleLimitOfMethod(method)).toEqual(limit)
  expect(idleLimitOf(aToken({ CreateTime: at(-1) }), method)).toEqual(limit)
  expect(idleLimitOf(aToken({ CreateTime: at(1) }), method)).toEqual({ ...limit, since: SET + 1 })
  expect(idleLimitOf(aToken(), aMethod())).toBeUndefined()
})

test('memory may answer for the limit, the database declares a token dead a tenth later', () => {
  expect([599_999, 600_000].map((ms) => isSurelyUsed(SET, limit, SET + ms))).toEqual([true, false])
  expect(idleHorizon(limit, SET + 660_000)).toBe(SET)
})

test('a use is written once a twentieth of the limit has passed', () => {
  expect([29_999, 30_000].map((ms) => isUseWritten(SET, limit, SET + ms))).toEqual([false, true])
})
