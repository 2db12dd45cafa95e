import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { Catalog } from '../catalog.ts'
import { createSession, lockDelayMs, type SessionContext, sessionLifetimeMs } from './create-session.ts'

const CONTEXT: SessionContext = {
  ...{ catalog: new Catalog(), ownNode: 'n1', edition: 'standard' },
  id: '0c9ad4f1-2f4e-4f4b-8d5c-6f4e6f6f0a11',
}
const make = (body: Parameters<typeof createSession>[0]) => createSession(body, CONTEXT)

describe('the TTL is none, or from 10 s to 24 h (decisions: sessions)', () => {
  test.each([
    ['', undefined],
    ['0', undefined],
    ['0s', undefined],
    ['10s', 20_000],
    ['10000ms', 20_000],
    ['24h', 172_800_000],
    ['1440m', 172_800_000],
  ])('%j is kept as it was given, and lets the session live for %s ms', (TTL, lifetimeMs) => {
    const session = make({ TTL })
    expect([session.TTL, sessionLifetimeMs(session)]).toEqual([TTL, lifetimeMs])
  })

  test.each([
    ['9999ms', '9999000000'],
    ['9.999999999s', '9999999999'],
    ['1ns', '1'],
    ['-10s', '-10000000000'],
    ['24h1ns', '86400000000001'],
    ['25h', '90000000000000'],
  ])('%j is refused with the field and its bounds', (TTL, shown) => {
    expect(refusalOf(() => make({ TTL }))).toEqual({
      code: 'field_invalid',
      field: 'TTL',
      message: `Invalid Session TTL '${shown}', must be between [10s=24h0m0s]`,
    })
  })
})

describe('the lock delay is from 0 to 2^63 - 1 ns, of which 60 s act (decisions: sessions)', () => {
  test.each([
    [undefined, 15_000_000_000, 15_000],
    [null, 15_000_000_000, 15_000],
    ['0s', 0, 0],
    ['1ns', 1, 0.000_001],
    [0, 0, 0],
    [999, 999_000_000_000, 60_000],
    [1_000, 1_000, 0.001],
    ['60s', 60_000_000_000, 60_000],
    ['60.000000001s', 60_000_000_001, 60_000],
    ['2562047h', 9_223_369_200_000_000_000, 60_000],
  ])('%j is stored as %d ns, and acts for %d ms', (LockDelay, storedNs, actsMs) => {
    const session = make(LockDelay === undefined ? {} : { LockDelay })
    expect([session.LockDelay, lockDelayMs(session)]).toEqual([storedNs, actsMs])
  })

  test.each([['-1ns'], [-1], [2 ** 63], ['9223372036854775808ns']])(
    '%j is refused with the field and its bounds',
    (LockDelay) => {
      expect(refusalOf(() => make({ LockDelay }))).toEqual({
        code: 'field_invalid',
        field: 'LockDelay',
        message: 'Invalid LockDelay: it must be from 0 to 2^63 - 1 nanoseconds',
      })
    },
  )
})
