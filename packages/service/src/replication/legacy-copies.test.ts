/** A secondary that has copies of legacy tokens from before its upgrade. Spec 9.2.2, 9.2.3. */

import { convertForMigration, fromLegacyToken, type TokenRecord } from '@latchkey/acl'
import { deleteOf, putOf } from '@latchkey/testkit/records/changes'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { aSecondary } from '@latchkey/testkit/replication/secondary'
import { aWorld, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import { MemoryStore } from '../store/memory-store.ts'
import type { Change } from '../store/store.ts'
import type { ReplicatorOptions } from './replicator.ts'

const RULES = 'key "app" { policy = "write" }'

const put = (record: TokenRecord, expect = 0): Change => putOf('tokens', record, expect)
const legacy = (ID: string) =>
  fromLegacyToken({ ID, Name: ID, Type: 'client', Rules: RULES, CreateIndex: 0, ModifyIndex: 0 })

/** A primary and a secondary with the same legacy tokens. */
async function aFleet(count: number, copyLimits?: ReplicatorOptions['copyLimits']) {
  const primary = await aWorld({ version: '1.10' })
  const { clock } = primary
  const store = new MemoryStore(clock)
  const copies = Array.from({ length: count }, (_, i) => legacy(`secret-${i}`))
  for (const each of [primary.store, store]) each.commitNow(copies.map((record) => put(record)))
  const secondary = aSecondary(primary, { store, ...(copyLimits ? { copyLimits } : {}) })
  /** Enough steps for a copy, its end, and a repair. */
  const settle = async () => {
    for (let steps = 0; steps < 8; steps += 1) {
      if ((await secondary.step()).outcome === 'paused') return
    }
  }
  return { ...secondary, settle }
}

async function migrate({ store }: World, ...secrets: readonly string[]): Promise<void> {
  for (const secret of secrets) {
    const token = await store.tokenBySecret(secret)
    if (token === undefined) throw new Error(`${secret} is not there`)
    store.commitNow([put(convertForMigration(token, aToken().AccessorID), token.ModifyIndex)])
  }
}

async function destroy(store: MemoryStore, ...secrets: readonly string[]): Promise<void> {
  for (const secret of secrets) {
    const record = await store.tokenBySecret(secret)
    if (record !== undefined) store.commitNow([deleteOf('tokens', record)])
  }
}

test('a copy keeps its rights until its token arrives with an accessor, which it then takes over', async () => {
  const { primary, store, settle } = await aFleet(3)
  await migrate(primary, 'secret-0')
  await settle()
  const [first, second] = [await store.tokenBySecret('secret-0'), await store.tokenBySecret('secret-1')]
  expect(first).toMatchObject({ Rules: RULES, CreateIndex: 1 })
  expect(first?.AccessorID).toBe((await primary.store.tokenBySecret('secret-0'))?.AccessorID)
  expect(second).toMatchObject({ AccessorID: '', Rules: RULES })
  await migrate(primary, 'secret-1', 'secret-2')
  await settle()
  for (const secret of ['secret-1', 'secret-2']) {
    const original = await primary.store.tokenBySecret(secret)
    expect((await store.tokenBySecret(secret))?.AccessorID).toBe(original?.AccessorID)
  }
  expect(await store.countTokens({ withoutAccessor: true })).toBe(0)
})

test('copies stay in use during a first copy, which is one commit unless there are too many tokens', async () => {
  for (const [recordsMax, isWhole] of [
    [100, true],
    [10, false],
  ] as const) {
    const { primary, store, step, record, settle } = await aFleet(20, { recordsMax, lengthMax: 1e6 })
    await migrate(primary, ...Array.from({ length: 20 }, (_, i) => `secret-${i}`))
    const begun: boolean[] = []
    while (record()?.index === undefined || record()?.index === 0) {
      await step()
      begun.push(record()?.index === 0)
    }
    expect(begun.includes(true)).toBe(!isWhole)
    await settle()
    expect(await store.countTokens({ withoutAccessor: true })).toBe(0)
    expect(await store.countTokens({ local: false })).toBe(22)
  }
})

test('a copy whose token was deleted is removed once every token of the primary has its accessor', async () => {
  const { primary, store, settle } = await aFleet(4)
  await destroy(primary.store, 'secret-1', 'secret-2')
  await migrate(primary, 'secret-0')
  await settle()
  // Its token might not have arrived yet, as is the case for secret-3.
  expect(await store.tokenBySecret('secret-1')).toMatchObject({ AccessorID: '' })
  await migrate(primary, 'secret-3')
  await settle()
  expect(await store.countTokens({ withoutAccessor: true })).toBe(0)
  expect(await store.tokenBySecret('secret-1')).toBeUndefined()
  expect(await store.tokenBySecret('secret-3')).toBeDefined()
})

test('a local token without an accessor is not changed, and a global token with its secret is skipped', async () => {
  const { primary, store, step, settle } = await aFleet(1)
  store.commitNow([put({ ...legacy('own'), Local: true })])
  primary.store.commitNow([put(legacy('own'))])
  await migrate(primary, 'own', 'secret-0')
  await settle()
  expect(await store.tokenBySecret('own')).toMatchObject({ Local: true, AccessorID: '' })
  // The local token has no accessor by which to look it up, and still exists, so nothing is compared again.
  for (let i = 0; i < 3; i += 1) expect((await step()).outcome).toBe('unchanged')
  expect(store.directory().system('replication')?.Value).toMatchObject({ skipped: [{ heldBy: '' }] })
})

test('a deletion of many copies waits for an operator, and following continues', async () => {
  const { primary, store, status, accept, settle } = await aFleet(300)
  const gone = Array.from({ length: 150 }, (_, i) => `secret-${i}`)
  await destroy(primary.store, ...gone)
  await migrate(primary, ...Array.from({ length: 150 }, (_, i) => `secret-${i + 150}`))
  await settle()
  expect(status().lastErrorMessage).toMatch(/^replication paused: it would delete 150 of \d+ tokens/)
  const later = await primary.token()
  await settle()
  expect(await store.tokenBySecret(later.SecretID)).toBeDefined()
  expect(await store.countTokens({ withoutAccessor: true })).toBe(150)

  accept()
  await settle()
  expect(await store.countTokens({ withoutAccessor: true })).toBe(0)
  expect(store.directory().system('replication')?.Value).not.toHaveProperty('accepted')
})
