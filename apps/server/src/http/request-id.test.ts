import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { requestIdOf } from './request-id.ts'

const of = (id?: string | string[]) =>
  requestIdOf({ headers: id === undefined ? {} : { 'x-request-id': id } } as unknown as IncomingMessage)

test.each(['a', 'A-b_c.9', 'f1d2d2f9-0000-4000-8000-000000000001', 'x'.repeat(64)])(
  "%s is kept as the client's id",
  (id) => {
    expect(of(id)).toBe(id)
  },
)

test.each(['', ' ', 'a b', 'a\nb', 'a"b', '<a>', 'é', 'a/b', 'a,b', 'x'.repeat(65)])(
  '%j is invalid and replaced by a new id',
  (id) => {
    expect(of(id)).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/)
  },
)

test('new ids are all different', () => {
  const ids = new Set(Array.from({ length: 1_000 }, () => of()))
  expect(ids.size).toBe(1_000)
})
