/** What a store has of itself once legacy mode has ended. */

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

test('a cluster that has a management token from before does not bootstrap again', async () => {
  const store = aStore()
  plant(store, 'manager', 'management')
  await ensureBuiltins(store, aContext())
  expect(store.directory().system('bootstrap')).toBeDefined()
})

test('one that has none may, whatever client tokens it has', async () => {
  const store = aStore()
  plant(store, 'client', 'client')
  await ensureBuiltins(store, aContext())
  expect(store.directory().system('bootstrap')).toBeUndefined()
})

test('in a secondary its own tokens get accessor and link, the others wait for the primary, and once is enough', async () => {
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
