import { decodeQuery, ROUTES } from '@latchkey/contract'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { paramsOf, type ReadOptions, readOptionsOf } from './read-options.ts'

const read = (text: string, cacheControl?: string) =>
  readOptionsOf(decodeQuery(ROUTES['tokens.self'].schemas.query, paramsOf(`/?${text}`)), cacheControl)

describe('a query string', () => {
  test('the first value is used; names are case-sensitive and may be encoded', () => {
    const params = paramsOf('/?a=1&a=2&b=&ind%65x=%C3%A9+x?')
    expect([...params.entries()]).toEqual([
      ['a', '1'],
      ['a', '2'],
      ['b', ''],
      ['index', 'é x?'],
    ])
    expect(params.get('a')).toBe('1')
  })

  test.each(['%', '%4', 'a=%zz', 'a=1&%', '%u0041'])('query_invalid: %j cannot be decoded', (text) => {
    expect(refusalOf(() => paramsOf(`/?${text}`)).code).toBe('query_invalid')
  })
})

const PLAIN: ReadOptions = { mode: 'default', maxStaleMs: undefined, index: 0, waitMs: 300_000 }

const OPTIONS: readonly (readonly [string, Partial<ReadOptions>])[] = [
  ['', {}],
  ['index', {}],
  ['index=', {}],
  ['index=0', {}],
  ['index=00', {}],
  ['index=1', { index: 1 }],
  ['index=007', { index: 7 }],
  ['index=9007199254740991', { index: 9_007_199_254_740_991 }],
  ['index=18446744073709551615', { index: 2 ** 64 }],
  ['index=5&index=abc', { index: 5 }],
  ['wait=10s', { waitMs: 10_000 }],
  ['wait=100ms', { waitMs: 100 }],
  ['wait=1ns', { waitMs: 0.000001 }],
  ['wait=5m', { waitMs: 300_000 }],
  ['wait=10m', { waitMs: 600_000 }],
  ['wait=10m0.001s', { waitMs: 600_000 }],
  ['wait=24h', { waitMs: 600_000 }],
  ['wait=', {}],
  ['wait=0', {}],
  ['wait=0s', {}],
  ['wait=-1s', {}],
  ['stale', { mode: 'stale' }],
  ['stale=', { mode: 'stale' }],
  ['stale=false', { mode: 'stale' }],
  ['consistent', { mode: 'consistent' }],
  ['consistent=no', { mode: 'consistent' }],
  ['leader', {}],
  ['cached', {}],
  ['cached&stale', { mode: 'stale' }],
  ['max_stale=10s', { mode: 'stale', maxStaleMs: 10_000 }],
  ['max_stale=0s', {}],
  ['max_stale=-1s', {}],
  ['max_stale=', {}],
  ['stale&max_stale=1s', { mode: 'stale', maxStaleMs: 1_000 }],
  ['unknown=1&Stale&INDEX=abc', {}],
]

test.each(OPTIONS)('%j reads as %j (spec 4.1)', (text, options) => {
  expect(read(text)).toEqual({ ...PLAIN, ...options })
})

const REFUSED: readonly (readonly [string, string])[] = [
  ['index=-1', 'index'],
  ['index=1.5', 'index'],
  ['index=abc', 'index'],
  ['index=1e3', 'index'],
  ['index=0x10', 'index'],
  ['index=%201', 'index'],
  ['index=+1', 'index'],
  ['index=18446744073709551616', 'index'],
  ['index=111111111111111111111', 'index'],
  ['index=٣', 'index'],
  ['wait=10', 'wait'],
  ['wait=abc', 'wait'],
  ['wait=1d', 'wait'],
  ['wait=10S', 'wait'],
  ['index=0&wait=abc', 'wait'],
  ['max_stale=abc', 'max_stale'],
  ['stale&consistent', 'stale'],
  ['stale=false&consistent=false', 'stale'],
  ['cached&consistent', 'cached'],
  ['max_stale=1s&consistent', 'max_stale'],
]

test.each(REFUSED)('query_invalid: %j, naming %s', (text, field) => {
  expect(refusalOf(() => read(text))).toMatchObject({ code: 'query_invalid', field })
})

test("reports errors in the reference's order: consistency, Cache-Control, wait, index", () => {
  const all = 'stale&consistent&max_stale=x&wait=x&index=x'
  expect(refusalOf(() => read(all, 'max-age=x')).field).toBe('stale')
  expect(refusalOf(() => read('max_stale=x&wait=x&index=x', 'max-age=x')).field).toBe('max_stale')
  expect(refusalOf(() => read('wait=x&index=x', 'max-age=x')).field).toBe('Cache-Control')
  expect(refusalOf(() => read('wait=x&index=x')).field).toBe('wait')
})

describe('Cache-Control', () => {
  test.each(['', 'no-cache', 'max-age=0', 'max-age=60, stale-if-error=5', 'MAX-AGE=5', 'no-store, foo=abc'])(
    '%j passes',
    (header) => {
      expect(read('', header)).toEqual(PLAIN)
    },
  )

  test.each([
    'max-age=abc',
    'max-age',
    'max-age=',
    'max-age=-1',
    'no-cache, stale-if-error=x',
    'Max-Age=1.5',
  ])('header_invalid: %j', (header) => {
    expect(refusalOf(() => read('', header))).toMatchObject({
      code: 'header_invalid',
      field: 'Cache-Control',
    })
  })
})
