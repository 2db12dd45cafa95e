import type { Change } from '@latchkey/service'
import { aKey, anId, aToken } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { splitGroup } from './writes.ts'

test('a group is split so that no two writes committed together share an id or key', () => {
  const create = (AccessorID: string, SecretID: string): { readonly changes: readonly Change[] } => ({
    changes: [{ table: 'tokens', op: 'put', record: aToken({ AccessorID, SecretID }), expect: 0 }],
  })
  const put = (Key: string): Change => ({ table: 'kv', op: 'put', record: aKey({ Key }), expect: undefined })
  const [a, b, c, d] = [anId(0xa), anId(0xb), anId(0xc), anId(0xd)]
  const first = create(a, b)
  const sameAccessor = create(a.toUpperCase(), c)
  const crossed = create(b, d)
  const free = create(anId(1), anId(2))
  const several = { changes: [...create(anId(3), anId(4)).changes, put('x')] }
  const sameKey = { changes: [put('x')] }
  const tree: { readonly changes: readonly Change[] } = {
    changes: [{ table: 'kv', op: 'delete-tree', namespace: 'default', prefix: 'y' }],
  }
  expect(splitGroup([first, sameAccessor, crossed, free, several, sameKey, tree])).toEqual({
    apart: [first, free, several],
    others: [sameAccessor, crossed, sameKey, tree],
  })
})
