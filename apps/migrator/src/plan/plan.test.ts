import { DumpScanner } from '@latchkey/acl'
import { describe, expect, test } from 'vitest'
import { aScenario } from '../../test/scenario.ts'
import { renderText } from '../output/document.ts'
import { planDocument } from '../output/plan-document.ts'
import { readBuiltin } from '../scenario/builtin.ts'
import { clockFrom } from '../scenario/time.ts'
import { version } from '../version.ts'
import { defaultScenario } from './default-scenario.ts'
import { makePlan } from './plan.ts'
import { planSteps } from './steps.ts'
import { TokenCensus } from './token-census.ts'

const SECRET = 'canary-7ab2'

function censusOf(tokens: readonly unknown[], placesMax = 20): TokenCensus {
  const scanner = new DumpScanner()
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

  test('counts by type, and excludes unusable tokens', () => {
    expect(censusOf(dump).counts()).toMatchObject({
      total: 6,
      client: 5,
      management: 1,
      anonymous: true,
      withRules: 4,
      refused: 4,
    })
  })

  test('every problem is a finding with the positions of its tokens', () => {
    const findings = censusOf(dump).findings()
    const places = Object.fromEntries(
      findings.map(({ id, tokens }) => [id, tokens?.map(({ position }) => position)]),
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

  test('a token with several faults of one kind counts once, and is named with a hash of its ID', () => {
    const tokens = Array.from({ length: 11 }, (_, i) => ({
      ID: `${SECRET}-${i}`,
      Name: `job ${i}`,
      A: 1,
      B: 2,
      C: 3,
    }))
    const [finding] = censusOf(tokens).findings()
    expect(finding).toMatchObject({ id: 'dump-field-unknown', count: 11 })
    // printf canary-7ab2-0 | sha256sum | cut -c 1-12
    expect(finding?.tokens?.[0]).toMatchObject({
      name: 'job 0',
      idHash: '54be965bed7e',
      position: 0,
      line: 1,
    })
    expect(finding?.detail).toMatch(
      /^11 tokens: .*: "job 0" \(ID hash [0-9a-f]{12}, token 0, line 1, byte 1\): /,
    )
  })

  test('rules of a migrated token that another service reads differently are a blocker, too', () => {
    const census = censusOf(
      ['WRITE', 'write'].map((level, i) => ({
        AccessorID: `a-${i}`,
        Description: `moved ${i}`,
        Rules: `key "a" { policy = "${level}" }`,
      })),
    )
    expect(census.findings()).toMatchObject([
      { id: 'rules-level-case', severity: 'critical', count: 1, tokens: [{ name: 'moved 0', position: 0 }] },
    ])
  })

  test('the list of the token API is one finding that names the right list', () => {
    const list = [1, 2].map((i) => ({
      AccessorID: `a-${i}`,
      Description: 'x',
      Policies: [],
      CreateTime: '2020',
    }))
    const census = censusOf(list)
    expect(census.findings()).toMatchObject([
      {
        id: 'dump-new-list',
        severity: 'critical',
        count: 2,
        avoid: expect.stringContaining('GET /v1/acl/list'),
      },
    ])
    expect(census.counts()).toMatchObject({ total: 0, refused: 2 })
  })

  test('legacy tokens in the list of the token API are no tokens without legacy rules', () => {
    const legacy = { AccessorID: 'a', Description: 'x', Legacy: true, CreateTime: '2020' }
    expect(censusOf([legacy]).findings()).toMatchObject([
      {
        id: 'dump-legacy-without-rules',
        severity: 'critical',
        avoid: expect.stringContaining('GET /v1/acl/list'),
      },
    ])
  })

  test('SEC-01: a token that is named after its own secret has no name in a finding', () => {
    const [finding] = censusOf([{ ID: SECRET, Name: `web ${SECRET.toUpperCase()}`, Type: 'root' }]).findings()
    expect(finding?.tokens).toMatchObject([{ name: '', idHash: expect.stringMatching(/^[0-9a-f]{12}$/) }])
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

test('without a schedule a plan forecasts nothing: no time, no server, no finding of a simulation', () => {
  const census = censusOf(Array.from({ length: 300 }, (_, i) => ({ ID: `t${i}` })))
  const plan = makePlan(aScenario({}), census, { isScheduled: false })
  expect(plan).toMatchObject({ isScheduled: false, findings: [] })
  expect(plan.datacenters.dc1).toMatchObject({ batches: 3, duration: 2, doneAt: null })
  expect(JSON.stringify(plan.steps)).not.toContain('s1')
  expect(renderText(planDocument(plan, clockFrom(undefined)), (_, text) => text)).not.toMatch(/done at|never/)
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
  const facts = { tokens: 300, withRules: 10, unlinked: 0, migrationMs: 2_000, namesServers: true }

  test('the primary is first and its leader last, with the snapshot before every irreversible step', () => {
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

  test('before 1.11, tokens are converted and a snapshot is forced after the last legacy write', () => {
    const kinds = planSteps(readBuiltin('hazard-unconverted-at-1.11'), facts).map(({ kind }) => kind)
    expect(kinds).toContain('convert')
    expect(kinds.indexOf('convert')).toBeLessThan(kinds.indexOf('upgrade'))
  })
})

describe('a plan without a scenario', () => {
  const cluster = (text: string, names: readonly string[] = []) =>
    defaultScenario({ version: version(text), servers: new Map([['north sea', names]]) })

  test.each([
    ['1.3.1', 'from 1.3.1 to 1.4.0'],
    ['1.4.0', 'from 1.4.0 to 1.11.0'],
    ['1.10.12', 'from 1.10.12 to 1.11.0'],
    ['1.11.0', 'at 1.11.0'],
    ['1.12.0', 'at 1.12.0'],
  ])('of a cluster at %s goes to the next version that changes tokens: %s', (text, name) => {
    expect(cluster(text).name).toBe(`${name}, without a schedule`)
  })

  test('names servers as a scenario can, each one once', () => {
    const { datacenters } = cluster('1.3.1', ['a b', 'a-b', '-', 'x'.repeat(80)])
    expect(datacenters[0]).toMatchObject({
      name: 'north-sea',
      servers: [{ id: 'a-b' }, { id: 'a-b-2' }, { id: 'unnamed' }, { id: 'x'.repeat(64) }],
    })
  })
})
