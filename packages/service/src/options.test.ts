import type { ClusterRecord } from '@latchkey/acl'
import { putOf } from '@latchkey/testkit/records/changes'
import { expect, test } from 'vitest'
import { isSecondary } from './options.ts'
import { MemoryStore } from './store/memory-store.ts'

const settings = { datacenter: 'dc2', primaryDatacenter: 'dc1' }

async function storeWith(Value: ClusterRecord): Promise<MemoryStore> {
  const store = new MemoryStore({ after: () => () => {} })
  const record = { Key: 'cluster', Value, CreateIndex: 0, ModifyIndex: 0 } as const
  await store.commit([putOf('system', record, 0)])
  return store
}

test('the configuration determines whether a datacenter is a secondary, until it is promoted', async () => {
  const store = await storeWith({ ID: 'a' })
  expect(isSecondary({ ...settings, store })).toBe(true)
  expect(isSecondary({ ...settings, primaryDatacenter: 'dc2', store })).toBe(false)
})

test('a promoted datacenter is not a secondary, whatever its configuration says', async () => {
  const store = await storeWith({ ID: 'a', promoted: { at: '2028-02-29T12:00:00Z', from: 'dc1' } })
  expect(isSecondary({ ...settings, store })).toBe(false)
})
