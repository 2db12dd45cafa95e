/** The part of the store suite about what a commit expects of records that it does not change. */

import { checkKey, type Expectation, nodeKey, serviceKey } from '@latchkey/catalog'
import type { Change, Store } from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { aCheck, aNode, aService } from '../records/catalog-builders.ts'
import { putOf } from '../records/changes.ts'
import { aKey } from '../records/record-builders.ts'

let names = 0

/** A name that no other test uses, with characters that a key must support. */
function aName(): string {
  names += 1
  return `expected-${names}-a b/ü\u0000\ud83d\ude00`
}

const put = (Key: string): Change => putOf('kv', aKey({ Key, CreateIndex: 0 }))
const namespace = 'default'

/** Whether a commit with these expectations succeeds. Requires that it changes nothing if it does not. */
async function isMade(store: Store, expects: readonly Expectation[]): Promise<boolean> {
  const Key = aName()
  const before = store.commitIndex()
  try {
    await store.commit([put(Key)], { expects })
    return true
  } catch (error) {
    expect(error).toMatchObject({ reason: 'changed' })
    expect([await store.kvEntry(namespace, Key), store.commitIndex()]).toEqual([undefined, before])
    return false
  }
}

export function describeExpectations(open: () => Store | Promise<Store>): void {
  describe('expectations of a commit', () => {
    test('keys at their ModifyIndex, and keys that do not exist', async () => {
      const store = await open()
      const [key, missing] = [aName(), aName()]
      const of = (key: string, modifyIndex: number) => ({ table: 'kv' as const, namespace, key, modifyIndex })
      const index = await store.commit([put(key)])
      expect(await isMade(store, [of(key, index), of(missing, 0)])).toBe(true)
      for (const modifyIndex of [0, index - 1, index + 1]) {
        expect(await isMade(store, [of(missing, 0), of(key, modifyIndex)])).toBe(false)
      }
      expect(await isMade(store, [of(missing, index)])).toBe(false)
      expect(await isMade(store, [{ ...of(key, index), namespace: 'another' }])).toBe(false)
    })

    test('the number of keys with a prefix, and their highest ModifyIndex', async () => {
      const store = await open()
      const prefix = aName()
      const of = (count: number, modifyIndex: number): Expectation => ({
        table: 'kv',
        namespace,
        prefix,
        count,
        modifyIndex,
      })
      expect(await isMade(store, [of(0, 0)])).toBe(true)
      await store.commit([put(`${prefix}a`)])
      const index = await store.commit([put(`${prefix}b`)])
      expect(await isMade(store, [of(2, index)])).toBe(true)
      for (const wrong of [of(0, 0), of(1, index), of(3, index), of(2, index - 1), of(2, index + 1)]) {
        expect(await isMade(store, [wrong])).toBe(false)
      }
    })

    test('nodes, services and checks', async () => {
      const store = await open()
      const Node = aName()
      const [node, service, check] = [
        aNode({ Node }),
        aService({ Node, ID: 's' }),
        aCheck({ Node, CheckID: 'c', ServiceID: '' }),
      ]
      const changes = [putOf('nodes', node), putOf('services', service), putOf('checks', check)]
      const index = await store.commit(changes)
      const keys = { nodes: nodeKey(Node), services: serviceKey(service), checks: checkKey(check) } as const
      const of = (modifyIndex: number) =>
        (['nodes', 'services', 'checks'] as const).map((table) => ({ table, key: keys[table], modifyIndex }))
      expect(await isMade(store, of(index))).toBe(true)
      for (const wrong of of(0)) expect(await isMade(store, [wrong])).toBe(false)
      const gone = { table: 'services', key: serviceKey({ ...service, ID: 'gone' }) } as const
      expect(await isMade(store, [{ ...gone, modifyIndex: 0 }])).toBe(true)
      expect(await isMade(store, [{ ...gone, modifyIndex: index }])).toBe(false)
    })
  })

  test('a commit deletes a tree before it puts keys below its prefix', async () => {
    const store = await open()
    const prefix = aName()
    const [kept, gone] = [`${prefix}/kept`, `${prefix}/gone`]
    await store.commit([put(kept), put(gone)])
    const fresh = { ...put(kept), expect: 0 } as Change
    const index = await store.commit([fresh, { table: 'kv', op: 'delete-tree', namespace, prefix }])
    expect(await store.kvEntry(namespace, gone)).toBeUndefined()
    expect(await store.kvEntry(namespace, kept)).toMatchObject({ CreateIndex: index, ModifyIndex: index })
  })
}
