import { expect, test } from 'vitest'
import { aScenario, threeServers } from '../../test/scenario.ts'
import { latchkeyModel } from '../simulate/models/latchkey-model.ts'
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

test('a token that cannot be written never ends the accessors, unless the schedule deletes it', () => {
  const input = {
    datacenters: threeServers(0, 10, 20),
    legacyTokens: [{ count: 200 }, { count: 1, unwritable: true }],
  }
  expect(eta(input).accessors).toEqual({ p50: null, p95: null })
  const events = [{ at: 300, kind: 'delete-tokens', count: 1, offset: 200 } as const]
  expect(eta({ ...input, events }).accessors?.p95).toBeLessThan(310)
})

test('servers that refuse to start as 1.11 never leave legacy mode, with ever so many tokens (spec 9.1)', () => {
  const newModeOf = (rules: string) =>
    estimate(
      aScenario({
        version: '1.11',
        datacenters: threeServers(0, 10, 20),
        legacyTokens: [{ count: 100_000, rules: '' }, { rules }],
      }),
      latchkeyModel,
    ).newMode.p50
  expect(newModeOf('')).toBeGreaterThan(0)
  expect(newModeOf('key "a" { policy = "read" }')).toBeNull()
})

test('a duration that ends the plain schedule does not cut off later variations', () => {
  const input = { datacenters: threeServers(0, 10, 20), legacyTokens: 10, duration: 60 }
  expect(eta(input).newMode.p95).toBeGreaterThan(60)
})
