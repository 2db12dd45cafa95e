/** The part of the store suite about keys. */

import type { KvRecord } from '@latchkey/acl'
import type { Change, KvRange, Store } from '@latchkey/service'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteOf, putOf } from '../records/changes.ts'
import { aKey, anId } from '../records/record-builders.ts'
import { madeNamespace } from './suite-tools.ts'

export function describeKeys(open: () => Store | Promise<Store>): void {
  describe('keys', () => {
    let store: Store
    beforeEach(async () => {
      store = await open()
    })

    test('are listed under a prefix, in UTF-8 byte order, per namespace', async () => {
      for (const name of ['kv', 'other']) await madeNamespace(store, name)
      const keys = [
        ...['p/', 'p/a', 'p/a\u0000', 'p/A', 'p/b', 'p/ü', 'p/\uffff', 'p/😀', 'p/\u{10000}', 'p', 'q'],
        ...['P/x'],
      ]
      for (const Key of keys) await store.commit([putOf('kv', aKey({ Key, Namespace: 'kv' }), 0)])
      await store.commit([putOf('kv', aKey({ Key: 'p/z', Namespace: 'other' }), 0)])
      const listed = await entriesIn(store, { namespace: 'kv', prefix: 'p/' })
      expect(listed.map(({ Key }) => Key)).toEqual([
        'p/',
        'p/A',
        'p/a',
        'p/a\u0000',
        'p/b',
        'p/ü',
        'p/\uffff',
        'p/\u{10000}',
        'p/😀',
      ])
      expect(await entriesIn(store, { namespace: 'kv', prefix: '' })).toHaveLength(keys.length)
    })

    test('a range starts after a key and ends at a limit; names are read without values', async () => {
      const namespace = await madeNamespace(store, `range-${anId(4)}`)
      for (const [i, Key] of ['a', 'p/a', 'p/b', 'p/c', 'p/ü', 'q'].entries()) {
        const record = aKey({ Key, Namespace: namespace, Value: Uint8Array.of(i) })
        await store.commit([putOf('kv', record, 0)])
      }
      const ranges = [
        [{ prefix: 'p/' }, ['p/a', 'p/b', 'p/c', 'p/ü']],
        [{ prefix: 'p/', after: '' }, ['p/a', 'p/b', 'p/c', 'p/ü']],
        [{ prefix: 'p/', after: 'p/b' }, ['p/c', 'p/ü']],
        [{ prefix: 'p/', after: 'p/bb' }, ['p/c', 'p/ü']],
        [{ prefix: 'p/', after: 'p/a', limit: 2 }, ['p/b', 'p/c']],
        [{ prefix: '', limit: 1 }, ['a']],
        [{ prefix: '', after: 'p/ü' }, ['q']],
        [{ prefix: 'p/', after: 'q' }, []],
        [{ prefix: 'z' }, []],
      ] as const
      for (const [range, keys] of ranges) {
        const entries = await entriesIn(store, { namespace, ...range })
        expect(entries.map(({ Key }) => Key)).toEqual(keys)
        const names = await allOf(store.kvKeys({ namespace, ...range }))
        expect(names).toEqual(entries.map(({ Key, ModifyIndex }) => ({ Key, ModifyIndex })))
      }
    })

    test('fill several pages in order, each key once', async () => {
      const namespace = await madeNamespace(store, `pages-${anId(5)}`)
      const put = (n: number, bytes: number) => {
        const record = aKey({
          Key: `k/${n.toString().padStart(4, '0')}`,
          Namespace: namespace,
          Value: new Uint8Array(bytes).fill(n),
        })
        return putOf('kv', record, 0)
      }
      const numbers = Array.from({ length: 1_203 }, (_, n) => n)
      for (let start = 0; start < numbers.length; start += 100) {
        await store.commit(numbers.slice(start, start + 100).map((n) => put(n, 10)))
      }
      for (const n of [2_000, 2_001, 2_002, 2_003]) await store.commit([put(n, 300_000)])
      await store.commit([put(2_004, 0), put(2_005, 512 * 1_024), put(2_006, 0)])
      const entries = await entriesIn(store, { namespace, prefix: 'k/' })
      const expected = [...numbers, 2_000, 2_001, 2_002, 2_003, 2_004, 2_005, 2_006]
      expect(entries.map(({ Key }) => Number(Key.slice(2)))).toEqual(expected)
      expect(
        entries.every(({ Key, Value }) => Value.every((byte) => byte === Number(Key.slice(2)) % 256)),
      ).toBe(true)
      const names = await allOf(store.kvKeys({ namespace, prefix: 'k/' }))
      expect(names.map(({ Key }) => Key)).toEqual(entries.map(({ Key }) => Key))
      const some = await allOf(store.kvKeys({ namespace, prefix: 'k/', limit: 1_001 }))
      expect(some).toHaveLength(1_001)
    })

    test('are read as last written, and are gone after a delete of the key or its tree', async () => {
      const Namespace = await madeNamespace(store, `one-${anId(6)}`)
      const record = aKey({ Key: 't/1', Namespace })
      const read = async () => (await store.kvEntry(Namespace, 't/1'))?.Flags
      const put = (Flags: bigint): Change => putOf('kv', { ...record, Flags })
      expect(await read()).toBeUndefined()
      for (const remove of [
        deleteOf('kv', record),
        { table: 'kv', op: 'delete-tree', namespace: Namespace, prefix: 't/' },
      ] as const) {
        await store.commit([put(1n)])
        expect(await read()).toBe(1n)
        await store.commit([put(2n)])
        expect(await read()).toBe(2n)
        await store.commit([remove])
        expect(await read()).toBeUndefined()
      }
    })

    test('are deleted with their tree, without any others', async () => {
      const Namespace = await madeNamespace(store, `tree-${anId(3)}`)
      for (const Key of ['t/1', 't/2/x', 't', 'u', 't_']) {
        await store.commit([putOf('kv', aKey({ Key, Namespace }), 0)])
      }
      const index = await store.commit([
        { table: 'kv', op: 'delete-tree', namespace: Namespace, prefix: 't/' },
      ])
      const left = await entriesIn(store, { namespace: Namespace, prefix: '' })
      expect(left.map(({ Key }) => Key)).toEqual(['t', 't_', 'u'])
      expect(await store.tableIndex('kv')).toBe(index)
      const nothing = await store.commit([
        { table: 'kv', op: 'delete-tree', namespace: Namespace, prefix: 'zz' },
      ])
      expect(await store.tableIndex('kv')).toBe(nothing)
    })
  })
}

function entriesIn(store: Store, range: KvRange): Promise<KvRecord[]> {
  return allOf(store.kvEntries(range))
}

async function allOf<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages) all.push(...page)
  return all
}
