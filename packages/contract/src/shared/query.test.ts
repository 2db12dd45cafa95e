import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { AclError } from '../errors.ts'
import { PAGE_LIMIT_MAX, WAIT_MS_DEFAULT, WAIT_MS_MAX } from '../limits.ts'
import { type RouteName, routeOf } from '../routes.ts'
import { consistencyConflict, decodeQuery, ONCE, text, texts } from './query.ts'

/** Decodes every option. */
function read(name: RouteName, text: string): object {
  const given = { ...decodeQuery(routeOf(name).schemas.query, new URLSearchParams(text)) }
  const conflict = consistencyConflict(given)
  if (conflict) throw new AclError('query_invalid', conflict.message, { field: conflict.field })
  return given
}

function refusal(name: RouteName, text: string): readonly unknown[] {
  try {
    return [read(name, text)]
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    return [error.code, error.details.field, error.message]
  }
}

describe('decoding', () => {
  test.each<readonly [RouteName, string, object]>([
    ['tokens.read', '', {}],
    ['tokens.read', 'expanded', { expanded: true }],
    ['tokens.read', 'expanded=false', {}],
    ['tokens.read', 'stale=false', { stale: true }],
    ['tokens.read', 'index=7&wait=10s&stale', { index: 7, wait: 10_000, stale: true }],
    ['tokens.read', 'index=&wait=&max_stale=', {}],
    ['tokens.read', 'wait=1h', { wait: WAIT_MS_MAX }],
    ['tokens.read', 'wait=-1s', { wait: WAIT_MS_DEFAULT }],
    ['tokens.read', 'index=18446744073709551615', { index: 2 ** 64 }],
    ['tokens.list', 'policy=a&policy=b&unknown=1', { policy: 'a' }],
    ['tokens.list', 'sort=-CreateIndex&limit=1', { sort: '-CreateIndex', limit: 1 }],
    ['kv.write', 'cas=0&flags=42', { cas: 0n, flags: 42n }],
    ['kv.write', 'flags=18446744073709551615', { flags: 2n ** 64n - 1n }],
    ['operations.metrics', 'format=other', {}],
    ['legacy.import', 'check&position=3', { check: true, position: 3 }],
  ])('%s?%s', (name, text, expected) => {
    expect(read(name, text)).toEqual(expected)
  })
})

describe('query_invalid names the option (decisions: blocking queries)', () => {
  test.each<readonly [RouteName, string, string, string]>([
    ['tokens.read', 'index=x', 'index', 'Invalid index: it must be an unsigned 64-bit decimal number'],
    [
      'tokens.read',
      'index=18446744073709551616',
      'index',
      'Invalid index: it must be an unsigned 64-bit decimal number',
    ],
    ['tokens.read', 'wait=1', 'wait', 'Invalid wait time: it must be a duration such as "10s" or "5m"'],
    ['tokens.read', 'max_stale=x', 'max_stale', 'Invalid max_stale value "x"'],
    [
      'tokens.read',
      'consistent&stale',
      'stale',
      'Cannot specify ?stale with ?consistent, conflicting semantics.',
    ],
    ['tokens.list', 'sort=Name', 'sort', 'sort must be CreateIndex or -CreateIndex'],
    ['tokens.list', 'limit=', 'limit', `limit must be a whole number from 1 to ${PAGE_LIMIT_MAX}`],
    [
      'tokens.list',
      `limit=${PAGE_LIMIT_MAX + 1}`,
      'limit',
      `limit must be a whole number from 1 to ${PAGE_LIMIT_MAX}`,
    ],
    ['kv.write', 'flags=-1', 'flags', 'Invalid flags: it must be a whole number from 0 to 2^64 - 1'],
    ['kv.delete', 'cas=', 'cas', 'Invalid cas: it must be a whole number from 0 to 2^64 - 1'],
    [
      'legacy.import',
      'position=x',
      'position',
      'Invalid position: it must be a whole number of up to 15 digits',
    ],
  ])('%s?%s', (name, text, field, message) => {
    expect(refusal(name, text)).toEqual(['query_invalid', field, message])
  })
})

test('an option that counts once is absent if it is given twice (decisions: intentions)', () => {
  const schema = z.object({ source: text('A name.', ONCE), other: text('A name.') })
  const decoded = (query: string) => ({ ...decodeQuery(schema, new URLSearchParams(query)) })
  expect(decoded('source=a&other=a&other=b')).toEqual({ source: 'a', other: 'a' })
  expect(decoded('source=a&source=a&other=a')).toEqual({ other: 'a' })
})

test('all values of a repeatable option count, in order; empty ones, too (decisions: catalog)', () => {
  const schema = z.object({ tag: texts('A tag.') })
  const read = (text: string) => decodeQuery(schema, new URLSearchParams(text))
  expect(read('tag=b&x=1&tag=&tag=a')).toEqual({ tag: ['b', '', 'a'] })
  expect(read('tag')).toEqual({ tag: [''] })
  expect(read('x=1')).toEqual({})
})
