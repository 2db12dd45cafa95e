/** The built-in records after legacy mode. */

import { ANONYMOUS_TOKEN_ACCESSOR_ID, fromLegacyToken, GLOBAL_MANAGEMENT_POLICY_ID } from '@latchkey/acl'
import { SeededRandom } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { MemoryStore } from '../src/store/memory-store.ts'
import { convertBuiltins, ensureBuiltins, ensureLegacyBuiltins } from '../src/tokens/builtins.ts'

const MANAGEMENT = 'a0000000-0000-4000-8000-00000000000a'

const aStore = () => new MemoryStore({ after: () => () => undefined })
const aContext = (initialManagementToken?: string) => ({
  random: new SeededRandom(1),
  now: Date.UTC(2026, 0, 31),
  initialManagementToken,
})

function plant(store: MemoryStore, ID: string, Type: 'client' | 'management'): void {
  const record = fromLegacyToken({ ID, Name: '', Type, Rules: '', CreateIndex: 0, ModifyIndex: 0 })
  store.commitNow([{ table: 'tokens', op: 'put', record, expect: 0 }])
}

test('an upgraded cluster with a management token does not bootstrap again', async () => {
  const store = aStore()
  plant(store, 'manager', 'management')
  await ensureBuiltins(store, aContext())
  expect(store.directory().system('bootstrap')).toBeDefined()
})

test('an upgraded cluster without a management token may bootstrap, whatever its client tokens', async () => {
  const store = aStore()
  plant(store, 'client', 'client')
  await ensureBuiltins(store, aContext())
  expect(store.directory().system('bootstrap')).toBeUndefined()
})

test('a secondary converts its own tokens once and leaves the others to the primary', async () => {
  const store = aStore()
  await ensureLegacyBuiltins(store, aContext(MANAGEMENT))
  plant(store, 'other', 'management')
  await ensureBuiltins(store, aContext(MANAGEMENT))
  await convertBuiltins(store, aContext(MANAGEMENT))
  expect((await store.tokenBySecret('anonymous'))?.AccessorID).toBe(ANONYMOUS_TOKEN_ACCESSOR_ID)
  expect(await store.tokenBySecret(MANAGEMENT)).toMatchObject({
    AccessorID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    Policies: [{ ID: GLOBAL_MANAGEMENT_POLICY_ID }],
  })
  expect((await store.tokenBySecret('other'))?.AccessorID).toBe('')
  const before = store.snapshot()
  await convertBuiltins(store, aContext(MANAGEMENT))
  expect(store.snapshot()).toEqual(before)
})
