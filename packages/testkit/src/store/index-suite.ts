/** The part of the store suite about the indexes of commits, and about concurrent commits. */

import { type Change, type Store, StoreConflict } from '@latchkey/service'
import { describe, expect, test } from 'vitest'
import { deleteOf, putOf } from '../records/changes.ts'
import { aPolicy, aToken } from '../records/record-builders.ts'
import { putNew } from './suite-tools.ts'

export function describeIndexes(open: () => Store | Promise<Store>): void {
  describe('leaves a gap of indexes if a commit requests it', () => {
    test('the commit gets an index above the one that it names, and later commits continue from there', async () => {
      const store = await open()
      const gap = 2 ** 32
      const above = store.commitIndex() + gap
      const token = aToken()
      const policy = aPolicy()
      const changes: Change[] = [putNew(token), putOf('policies', policy, 0)]
      expect(await store.commit(changes, { above })).toBe(above + 1)
      expect(store.commitIndex()).toBe(above + 1)
      expect(await store.tokenBySecret(token.SecretID)).toMatchObject({ CreateIndex: above + 1 })
      expect(store.directory().policy(policy.ID)).toMatchObject({ ModifyIndex: above + 1 })
      const later = aToken()
      expect(await store.commit([putNew(later)], { above: 1 })).toBe(above + 2)
      expect(await store.tokenBySecret(later.SecretID)).toMatchObject({ CreateIndex: above + 2 })
      const followed = await store.changesAfter(above - gap)
      expect(followed?.index).toBe(above + 2)
      expect(followed?.tokens.map(({ AccessorID }) => AccessorID)).toContain(later.AccessorID)
    })

    test('a refused commit leaves no gap', async () => {
      const store = await open()
      const policy = aPolicy()
      await store.commit([putOf('policies', policy, 0)])
      const before = store.commitIndex()
      const twice: Change[] = [putNew(aToken()), putOf('policies', policy, 0)]
      await expect(store.commit(twice, { above: before + 2 ** 32 })).rejects.toThrow(StoreConflict)
      expect(await store.commit([putNew(aToken())])).toBe(before + 1)
    })
  })

  describe('indexes', () => {
    test('increase with every commit; CreateIndex stays, ModifyIndex advances', async () => {
      const store = await open()
      const token = aToken()
      const first = await store.commit([putNew(token)])
      const second = await store.commit([putOf('tokens', { ...token, Description: 'new' }, first)])
      expect(second).toBeGreaterThan(first)
      const stored = await store.tokenBySecret(token.SecretID)
      expect(stored).toMatchObject({ CreateIndex: first, ModifyIndex: second, Description: 'new' })
      expect(await store.tableIndex('tokens')).toBe(second)
    })

    test('a new record may have a CreateIndex, as an imported token does', async () => {
      const store = await open()
      const token = aToken({ CreateIndex: 3 })
      const index = await store.commit([putNew(token)])
      expect(await store.tokenBySecret(token.SecretID)).toMatchObject({ CreateIndex: 3, ModifyIndex: index })
    })

    test('of a table move with its own changes, including deletions, and with no others', async () => {
      const store = await open()
      const policy = aPolicy()
      const put = await store.commit([putOf('policies', policy, 0)])
      const roles = await store.tableIndex('roles')
      expect(await store.tableIndex('policies')).toBe(put)
      const removed = await store.commit([deleteOf('policies', policy, put)])
      expect(await store.tableIndex('policies')).toBe(removed)
      expect(await store.tableIndex('roles')).toBe(roles)
    })

    test('the directory gets a new version with every change', async () => {
      const store = await open()
      const policy = aPolicy()
      const before = store.directory()
      await store.commit([putOf('policies', policy, 0)])
      const after = store.directory()
      expect(after.version).not.toBe(before.version)
      expect(before.policy(policy.ID)).toBeUndefined()
      expect(after.policy(policy.ID)?.Name).toBe(policy.Name)
    })
  })

  describe('concurrent commits', () => {
    test('COH-08: one of 64 equal creates succeeds, and the others are refused', async () => {
      const store = await open()
      const token = aToken()
      const outcomes = await Promise.allSettled(
        Array.from({ length: 64 }, () => store.commit([putNew(token)])),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const reasons = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason] : []))
      expect(
        reasons.every((reason) => reason instanceof StoreConflict && reason.reason === 'secret_in_use'),
      ).toBe(true)
    })

    test('COH-09: one of 32 updates of the same version succeeds', async () => {
      const store = await open()
      const token = aToken()
      let index = await store.commit([putNew(token)])
      for (let round = 0; round < 5; round += 1) {
        const expect_ = index
        const outcomes = await Promise.allSettled(
          Array.from({ length: 32 }, (_, i) =>
            store.commit([putOf('tokens', { ...token, Description: `${round}/${i}` }, expect_)]),
          ),
        )
        const won = outcomes.flatMap((o, i) => (o.status === 'fulfilled' ? [{ index: o.value, i }] : []))
        expect(won).toHaveLength(1)
        index = won[0]?.index ?? 0
        expect(await store.tokenBySecret(token.SecretID)).toMatchObject({
          Description: `${round}/${won[0]?.i}`,
          ModifyIndex: index,
        })
      }
    })

    test('each commit has its own index', async () => {
      const store = await open()
      const indexes = await Promise.all(Array.from({ length: 300 }, () => store.commit([putNew(aToken())])))
      expect(new Set(indexes).size).toBe(300)
      expect(Math.max(...indexes)).toBe(await store.tableIndex('tokens'))
    })
  })
}
