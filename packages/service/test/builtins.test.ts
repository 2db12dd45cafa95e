/** The built-in records after legacy mode. */

import { fromLegacyToken } from '@latchkey/acl'
import { SeededRandom } from '@latchkey/testkit/random'
import { putOf } from '@latchkey/testkit/records/changes'
import { expect, test } from 'vitest'
import { MemoryStore } from '../src/store/memory-store.ts'
import { ensureBuiltins } from '../src/tokens/builtins.ts'

const aStore = () => new MemoryStore({ after: () => () => undefined })
const aContext = (initialManagementToken?: string) => ({
  random: new SeededRandom(1),
  now: Date.UTC(2026, 0, 31),
  initialManagementToken,
})

function plant(store: MemoryStore, ID: string, Type: 'client' | 'management'): void {
  const record = fromLegacyToken({ ID, Name: '', Type, Rules: '', CreateIndex: 0, ModifyIndex: 0 })
  store.commitNow([putOf('tokens', record, 0)])
}

test('an upgraded cluster with a management token does not bootstrap again', async () => {
  const store = aStore()
  plant(store, 'manager', 'management')
  await ensureBuiltins(store, aContext())
  expect(store.directory().system('bootstrap')).toBeDefined()
})

test('an upgraded cluster without a management token may bootstrap, whatever client tokens it has', async () => {
  const store = aStore()
  plant(store, 'client', 'client')
  await ensureBuiltins(store, aContext())
  expect(store.directory().system('bootstrap')).toBeUndefined()
})

test('a secondary creates the ID of its cluster, but no record that the primary owns', async () => {
  const store = aStore()
  const context = { ...aContext(), isSecondary: true }
  await ensureBuiltins(store, context)
  const { tokens, policies, system } = store.snapshot()
  expect([tokens.size, policies.size, [...system.keys()]]).toEqual([0, 0, ['cluster']])
  await ensureBuiltins(store, context)
  expect(store.commitIndex()).toBe(1)
})
