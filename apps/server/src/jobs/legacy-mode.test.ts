/** When the job checks, prepares and records the end of legacy mode; `acl` tests the rule. Spec 9.2.2. */
import type { AclModeRecord, Member } from '@latchkey/acl'
import { MemoryStore } from '@latchkey/service'
import { beforeEach, expect, test } from 'vitest'
import { type LegacyModeContext, lookAtLegacyMode } from './legacy-mode.ts'

const NOW = 1_000_000

const member = (mode: Member['mode'], datacenter = 'dc1'): Member => ({
  id: `${datacenter}-${mode}`,
  datacenter,
  node: 'n',
  version: '1.4.0',
  mode,
  heartbeatAt: NOW,
  status: 'alive',
})

let store: MemoryStore
let prepared: number

beforeEach(async () => {
  store = new MemoryStore({ after: () => () => {} })
  prepared = 0
  await record({ mode: 'legacy' })
})

async function record(Value: AclModeRecord): Promise<void> {
  const stored = { Key: 'acl-mode', Value, CreateIndex: 0, ModifyIndex: 0 } as const
  await store.commit([{ table: 'system', op: 'put', record: stored, expect: undefined }])
}

const recorded = () => store.directory().system('acl-mode')?.Value

function look(options: Partial<LegacyModeContext> = {}) {
  return lookAtLegacyMode({
    store,
    now: () => NOW,
    datacenter: 'dc1',
    primaryDatacenter: 'dc1',
    members: async () => [member('legacy')],
    primary: async () => undefined,
    prepare: async () => {
      prepared += 1
    },
    ...options,
  })
}

test('ends if the rule allows, recording the time of its end, after everything is prepared', async () => {
  let before: unknown
  const prepare = async () => {
    before = recorded()
  }
  expect(await look({ prepare })).toMatchObject({ next: 'enabled', ended: true })
  expect(before).toEqual({ mode: 'legacy' })
  expect(recorded()).toEqual({ mode: 'enabled', since: NOW })
})

test('continues if the rule does not allow the end, reports what it waits for, and writes nothing', async () => {
  const index = store.tableIndex('system')
  const decision = await look({ members: async () => [member('legacy'), member('unknown')] })
  expect(decision).toMatchObject({ next: 'legacy', ended: false })
  expect(decision.waitsFor).not.toEqual([])
  expect([prepared, store.tableIndex('system')]).toEqual([0, index])
})

test('a secondary waits while the primary does not answer', async () => {
  const secondary = { datacenter: 'dc2', members: async () => [member('legacy', 'dc2')] }
  expect(await look(secondary)).toMatchObject({ next: 'legacy', ended: false })
  const primary = async () => ({ members: [member('enabled')], follows: undefined })
  expect(await look({ ...secondary, primary })).toMatchObject({ next: 'enabled', ended: true })
})

test('a secondary waits while its primary takes another datacenter for the primary', async () => {
  const secondary = { datacenter: 'dc2', members: async () => [member('legacy', 'dc2')] }
  const primary = async () => ({ members: [member('enabled')], follows: 'dc3' })
  expect(await look({ ...secondary, primary })).toMatchObject({ next: 'legacy', ended: false })
})

test('once it has ended nothing is prepared or written again, even without a record', async () => {
  await look()
  const index = store.tableIndex('system')
  expect(await look()).toEqual({ next: 'enabled', waitsFor: [], ended: false })
  expect([prepared, store.tableIndex('system')]).toEqual([1, index])
  store = new MemoryStore({ after: () => () => {} })
  expect(await look()).toMatchObject({ next: 'enabled', ended: false })
})

test('of two servers that check at once, one ends it and the other sees that', async () => {
  const looks = await Promise.all([look(), look()])
  expect(looks.map(({ ended }) => ended).sort()).toEqual([false, true])
  expect(recorded()).toEqual({ mode: 'enabled', since: NOW })
})

test('continues if preparing its end fails', async () => {
  const prepare = async () => {
    throw new Error('the database is away')
  }
  await expect(look({ prepare })).rejects.toThrow('away')
  expect(recorded()).toEqual({ mode: 'legacy' })
})
