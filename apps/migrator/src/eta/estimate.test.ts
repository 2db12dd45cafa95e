import { expect, test } from 'vitest'
import { aScenario, threeServers } from '../../test/scenario.ts'
import { serviceModel } from '../simulate/models/service-model.ts'
import { estimate } from './estimate.ts'

const eta = (input: Parameters<typeof aScenario>[0]) => estimate(aScenario(input), serviceModel)

test('the range begins where the plain schedule ends, and covers late starts, slow gossip and elections', () => {
  const { newMode, accessors } = eta({ datacenters: threeServers(0, 60, 120), legacyTokens: 1_000 })
  // Two hops of at most 30 s after the last server, which starts up to 30 s late.
  expect(newMode.p50).toBeGreaterThan(120)
  expect(newMode.p95).toBeGreaterThan(newMode.p50 ?? 0)
  expect(newMode.p95).toBeLessThan(120 + 30 + 60 + 10)
  expect(accessors?.p95).toBeGreaterThanOrEqual(accessors?.p50 ?? 0)
})

test('the same scenario and seed give the same range, another seed another', () => {
  const input = { datacenters: threeServers(0, 60, 120), legacyTokens: 300 }
  expect(eta(input)).toEqual(eta(input))
  expect(eta({ ...input, seed: 7 })).not.toEqual(eta(input))
})

test('a million tokens add the time of their batches', () => {
  const input = { datacenters: threeServers(0, 10, 20) }
  const few = eta({ ...input, legacyTokens: 10_000 }).accessors?.p50 ?? 0
  const many = eta({ ...input, legacyTokens: 1_000_000 }).accessors?.p50 ?? 0
  expect(many - few).toBeCloseTo(7_813 - 79, 6)
})

test('what never ends has no estimate, and without tokens there is none for accessors', () => {
  const stuck = [{ name: 'dc1', servers: [{ id: 's1' }, { id: 's2', acls: false }] }]
  expect(eta({ datacenters: stuck, legacyTokens: 5 })).toMatchObject({
    newMode: { p50: null, p95: null },
    accessors: { p50: null, p95: null },
  })
  expect(eta({}).accessors).toBeNull()
})
