/** The part of the store suite about waits for changes. */

import { type Store, tokenTopic } from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { deleteOf, putOf } from '../records/changes.ts'
import { aKey, anId, aToken } from '../records/record-builders.ts'
import { madeNamespace, putNew } from './suite-tools.ts'

export function describeWaiting(open: () => Store | Promise<Store>): void {
  describe('waiting', () => {
    test('ends when a commit touches the topic', async () => {
      const store = await open()
      const token = aToken()
      const index = await store.commit([putNew(token)])
      const waits = [
        store.wait('tokens', index, 10_000),
        store.wait(tokenTopic(token.AccessorID), index, 10_000),
        store.wait(tokenTopic(anId(0xffff)), index, 300),
      ]
      await store.commit([deleteOf('tokens', token, index)])
      expect(await Promise.all(waits)).toEqual(['changed', 'changed', 'timeout'])
    })

    test('ends at once after a commit between the read and the wait', async () => {
      const store = await open()
      const [token, key] = [aToken(), aKey({ Namespace: await madeNamespace(store, 'wait') })]
      const index = await store.commit([putNew(token), putOf('kv', key)])
      expect(await store.wait(tokenTopic(token.AccessorID), index, 100)).toBe('timeout')
      await store.commit([{ table: 'kv', op: 'delete-tree', namespace: 'wait', prefix: key.Key }])
      await store.commit([putOf('tokens', token, index)])
      expect(await store.wait(tokenTopic(token.AccessorID), index, 10_000)).toBe('changed')
      expect(await store.wait(`kv:wait/${key.Key}`, index, 10_000)).toBe('changed')
      expect(await store.wait('kv', index, 10_000)).toBe('changed')
    })

    test('ends at once when aborted', async () => {
      const store = await open()
      const index = await store.tableIndex('tokens')
      expect(await store.wait('tokens', index, 10_000, AbortSignal.abort())).toBe('aborted')
      const controller = new AbortController()
      const wait = store.wait('tokens', index, 10_000, controller.signal)
      controller.abort()
      expect(await wait).toBe('aborted')
    })
  })
}
