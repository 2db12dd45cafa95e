import { describe, expect, test } from 'vitest'
import { aScenario } from '../../test/scenario.ts'
import { DumpScanner } from '../dump/scanner.ts'
import { readBuiltin } from '../scenario/builtin.ts'
import { makePlan } from './plan.ts'
import { planSteps } from './steps.ts'
import { TokenCensus } from './token-census.ts'

const SECRET = 'canary-7ab2'

function censusOf(tokens: readonly unknown[], placesMax = 20): TokenCensus {
  const scanner = new DumpScanner('dump.json')
  const census = new TokenCensus({ widening: 'keep', placesMax })
  for (const record of scanner.push(Buffer.from(JSON.stringify(tokens)))) census.add(record)
  scanner.end()
  return census
}

describe('the census of a dump', () => {
  const dump = [
    { ID: 'anonymous', Name: 'Anonymous Token', Type: 'client', Rules: '', CreateIndex: 1, ModifyIndex: 1 },
    { ID: `${SECRET}-1`, Name: 'root', Type: 'management', Rules: '' },
    { ID: `${SECRET}-2`, Name: 'app', Type: 'client', Rules: 'key "app/" { policy = "write" }' },
    { ID: `${SECRET}-2`, Name: 'again', Type: 'client', Rules: '' },
    { ID: `${SECRET}-3`, Name: 'broken', Type: 'client', Rules: 'key "a" {' },
    {
      ID: `${SECRET}-4`,
      Name: 'twice',
      Type: 'client',
      Rules: 'key "a" { policy = "write" }\nkey "a" { policy = "read" }',
    },
    { ID: `${SECRET}-5`, Name: 'acl', Type: 'client', Rules: 'acl = "write"' },
    { ID: '<hidden>', Type: 'client' },
    { Type: 'client' },
    { ID: `${SECRET}-6`, Type: 'root' },
  ]

  test('counts by type, and leaves out what is no usable token', () => {
    expect(censusOf(dump).counts()).toEqual({
      total: 6,
      client: 5,
      management: 1,
      anonymous: true,
      withRules: 4,
      refused: 4,
    })
  })

  test('every problem is a finding with the places of its tokens', () => {
    const findings = censusOf(dump).findings()
    const places = Object.fromEntries(
      findings.map(({ id, tokens }) => [id, tokens.map(({ position }) => position)]),
    )
    expect(places).toMatchObject({
      'dump-id-duplicate': [3],
      'dump-id-redacted': [7],
      'dump-id-missing': [8],
      'dump-type-unknown': [9],
      'rules-unreadable': [4],
      'rules-change-at-1.4.0': [5],
      'rules-change-by-translation': [6],
    })
  })

  test('SEC-01, LEAK-01: no secret is in the plan', () => {
    const plan = makePlan(aScenario({}), censusOf(dump))
    expect(JSON.stringify(plan)).not.toContain(SECRET)
    expect(plan.verdict).toBe('no-go')
  })

  test('a finding lists as many tokens as asked for, and counts all', () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ ID: `t${i}`, Type: 'root' }))
    const [finding] = censusOf(many, 5).findings()
    expect(finding).toMatchObject({ id: 'dump-type-unknown', count: 50 })
    expect(finding?.tokens).toHaveLength(5)
  })
})

test('a plan gives the duration for each datacenter, the secondaries by replication', () => {
  const plan = makePlan(
    aScenario({
      datacenters: [
        { name: 'dc1', servers: [{ id: 's1' }] },
        { name: 'dc2', servers: [{ id: 't1' }] },
        { name: 'dc3', tokenReplication: false, servers: [{ id: 'u1' }] },
      ],
      legacyTokens: 10_000,
    }),
    undefined,
  )
  expect(plan.datacenters.dc1).toMatchObject({
    tokens: 10_000,
    batches: 79,
    lastBatch: 16,
    duration: 78,
    doneAt: 78.05,
  })
  expect(plan.datacenters.dc2).toMatchObject({ tokens: 10_000, batches: 0, duration: 78 })
  expect(plan.datacenters.dc2?.doneAt).toBeGreaterThan(78)
  expect(plan.datacenters.dc3).toMatchObject({ tokens: 0, duration: 0, doneAt: null })
})

describe('the steps', () => {
  const facts = { tokens: 300, withRules: 10, migrationMs: 2_000 }

  test('the primary goes first, the leader last, with the snapshot before everything that cannot be undone', () => {
    const steps = planSteps(readBuiltin('spec-9.2.2-secondary-waits'), facts)
    const upgrades = steps
      .filter(({ kind }) => kind === 'upgrade')
      .map(({ datacenter, servers }) => [datacenter, servers])
    expect(upgrades).toEqual([
      ['dc1', ['a2', 'a3', 'a1']],
      ['dc2', ['b2', 'b3', 'b1']],
      ['dc2', ['web-1']],
    ])
    const snapshot = steps.findIndex(({ kind }) => kind === 'snapshot')
    expect(snapshot).toBeLessThan(steps.findIndex(({ kind }) => kind === 'upgrade'))
  })

  test('on the way to 1.11 tokens are converted before, and a snapshot is forced after the last legacy write', () => {
    const kinds = planSteps(readBuiltin('hazard-unconverted-at-1.11'), facts).map(({ kind }) => kind)
    expect(kinds).toContain('convert')
    expect(kinds.indexOf('convert')).toBeLessThan(kinds.indexOf('upgrade'))
  })
})
