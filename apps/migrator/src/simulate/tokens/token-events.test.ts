import { expect, test } from 'vitest'
import { historyOf, resultOf, threeServers } from '../../../test/scenario.ts'
import { checkHistory } from '../../check/checkers.ts'
import type { ScenarioInput } from '../../scenario/schema.ts'

/** A cluster in new mode with 100 client and 10 management tokens, all with an accessor at 20 s. */
function after(events: ScenarioInput['events'], rest: Partial<ScenarioInput> = {}) {
  const legacyTokens = [
    { count: 100, rules: 'key "" { policy = "read" }' },
    { type: 'management' as const, count: 10 },
  ]
  const result = resultOf({ version: '1.8.7', legacyTokens, events: events ?? [], ...rest })
  const finding = (id: string) => result.findings.find((each) => each.id === id)
  return { ...result, finding }
}

test('an edit may be of tokens of one type: a migrated management token is locked for the legacy API', () => {
  const edit = (type: 'client' | 'management') =>
    after([{ kind: 'edit-tokens', at: 20, count: 7, type }]).finding('legacy-writes-refused')?.count
  expect(edit('management')).toBe(7)
  expect(edit('client')).toBeUndefined()
})

test('a client token that becomes a management token after its migration has no policy link: said before 1.11, where it loses its rights', () => {
  const lost = (at: number, version: string) => {
    const { finding } = after(
      [
        { kind: 'edit-tokens', at, count: 3, becomes: 'management' },
        { kind: 'convert-tokens', at: 50 },
        { kind: 'restart', at: 60, server: 's1', version },
      ],
      { version: '1.10.0', datacenters: threeServers(0.05, 0, 0) },
    )
    expect(finding('rules-ignored-at-1.11')).toBeUndefined()
    return finding('management-unlinked')
  }
  expect(lost(20, '1.11.0')).toMatchObject({ count: 3, severity: 'critical', from: 60, servers: ['s1'] })
  expect(lost(20, '1.10.4')).toMatchObject({ count: 3, severity: 'warning' })
  // Before its migration: the migration links it.
  expect(lost(0.01, '1.11.0')).toBeUndefined()
})

test('an edit of the rules takes the rights of client tokens or gives them, and leaves management tokens alone', () => {
  const ignored = (...edits: [count: number, rules: string][]) =>
    after(
      [
        ...edits.map(([count, rules], i) => ({ kind: 'edit-tokens' as const, at: 0.01 + i, count, rules })),
        { kind: 'restart', at: 60, server: 's1', version: '1.11.0' },
      ],
      { version: '1.10.0', datacenters: threeServers(0.05, 0, 0) },
    ).finding('rules-ignored-at-1.11')?.count
  expect(ignored([3, ''])).toBe(97)
  expect(ignored([110, ''])).toBeUndefined()
  expect(ignored([110, ''], [2, 'key "a" { policy = "read" }'])).toBe(2)
})

test('an update through the token API drops the rules, and the legacy API no longer changes the token', () => {
  const { finding, violations } = after([
    { kind: 'edit-tokens', at: 20, count: 4, api: 'new' },
    { kind: 'edit-tokens', at: 30, count: 5 },
  ])
  expect(finding('rules-dropped')).toMatchObject({ severity: 'critical', count: 4 })
  expect(finding('legacy-writes-refused')?.count).toBe(4)
  expect(violations).toEqual([])
})

test('the token API refuses rules, tokens without an accessor, and everything in legacy mode', () => {
  const refused = (event: object) => {
    const events = [
      { kind: 'edit-tokens', count: 2, api: 'new', at: 20, ...event },
    ] as ScenarioInput['events']
    return after(events, { datacenters: threeServers(0, 10, 10) }).finding('token-writes-refused')?.detail
  }
  expect(refused({ sendsRules: true })).toContain('Rules cannot be specified for this token')
  expect(refused({ sendsRules: true, type: 'management' })).toBeUndefined()
  expect(refused({ kind: 'delete-tokens' })).toBeUndefined()
  expect(refused({ at: 5 })).toContain('currently in legacy mode')
  const late = resultOf({
    legacyTokens: 300,
    events: [{ kind: 'delete-tokens', at: 0.5, count: 3, offset: 127, api: 'new' }],
  })
  expect(late.findings.find(({ id }) => id === 'token-writes-refused')).toMatchObject({ count: 2 })
  expect(late.migration.dc1?.tokens).toBe(300)
})

test('local tokens stay in their datacenter, which needs token replication for them', () => {
  const local = (replication: object) =>
    resultOf({
      from: '1.8.7',
      version: '1.8.7',
      datacenters: [
        { name: 'dc1', servers: 1, localTokens: 5 },
        { name: 'dc2', servers: 1, ...replication },
      ],
      events: [
        { kind: 'create-tokens', at: 10, count: 3, api: 'new', local: true, datacenter: 'dc2' },
        { kind: 'create-tokens', at: 11, count: 2, api: 'new', datacenter: 'dc2' },
      ],
    })
  const { migration, replication, findings } = local({})
  expect([migration.dc1?.localTokens, migration.dc2?.localTokens, replication.dc2?.tokens]).toEqual([5, 3, 0])
  expect(findings.map(({ id }) => id)).not.toContain('token-writes-refused')
  const without = local({ tokenReplication: false })
  expect(without.migration.dc2?.localTokens).toBe(0)
  expect(without.findings.find(({ id }) => id === 'token-writes-refused')?.detail).toContain(
    'Local tokens are disabled',
  )
})

test('a restore into old servers is the way back: the tokens are as before, and everything since is lost', () => {
  const scenario: Partial<ScenarioInput> = {
    datacenters: threeServers(20, 20, 20),
    legacyTokens: 200,
    events: [
      { kind: 'create-tokens', at: 5, count: 1 },
      { kind: 'snapshot', at: 10 },
      { kind: 'edit-tokens', at: 40, count: 2 },
      { kind: 'create-tokens', at: 41, count: 3 },
      { kind: 'restore', at: 60, version: '1.3.1' },
    ],
  }
  const { servers, migration, findings, timeline } = resultOf(scenario)
  expect(Object.values(servers).map(({ version, mode }) => [version, mode])).toEqual(
    Array.from({ length: 3 }, () => ['1.3.1', 'old']),
  )
  expect(migration.dc1?.remaining).toBe(201)
  expect(findings.find(({ id }) => id === 'restore-loses-writes')).toMatchObject({
    severity: 'warning',
    count: 5,
  })
  expect(timeline.find(({ kind }) => kind === 'restore')?.detail).toContain('204 accessors lost')
  expect(checkHistory(historyOf(scenario))).toEqual([])
})

test('a restore into running servers takes accessors back, and the migration gives others, which reach the secondary', () => {
  const scenario: Partial<ScenarioInput> = {
    version: '1.8.7',
    datacenters: [
      { name: 'dc1', servers: [{ id: 's1', start: 20 }] },
      { name: 'dc2', servers: [{ id: 't1', start: 30 }] },
    ],
    legacyTokens: 300,
    events: [
      { kind: 'snapshot', at: 10, server: 's1' },
      { kind: 'delete-tokens', at: 50, count: 4 },
      { kind: 'edit-tokens', at: 51, count: 1 },
      { kind: 'restore', at: 60, snapshot: 10 },
    ],
  }
  const { migration, replication } = resultOf(scenario)
  expect(migration.dc1).toMatchObject({ batches: 6, remaining: 0 })
  expect(replication.dc2).toMatchObject({ tokens: 300, ghosts: 0, completeAt: 62 })
  expect(checkHistory(historyOf(scenario))).toEqual([])
})

test('a snapshot of the new system cannot be restored into servers before 1.4.0, nor one that was never taken', () => {
  const restore = (events: ScenarioInput['events']) => () =>
    resultOf({ datacenters: threeServers(0, 0, 0), events: events ?? [] })
  const snapshot = { kind: 'snapshot', at: 10 } as const
  expect(restore([snapshot, { kind: 'restore', at: 60, version: '1.3.1' }])).toThrow(
    /a server of 1\.3\.1 cannot read the snapshot that dc1 took at 10 s/,
  )
  expect(restore([snapshot, { kind: 'restore', at: 60, version: '1.5.0' }])).not.toThrow()
  expect(restore([{ kind: 'restore', at: 60 }])).toThrow(/dc1 has no snapshot before/)
  expect(restore([snapshot, { kind: 'restore', at: 60, snapshot: 11 }])).toThrow(/no snapshot at 11 s/)
})

test('the answer has the replication status of each secondary', () => {
  const { replication } = resultOf({
    version: '1.8.7',
    datacenters: [
      { name: 'dc1', servers: 1 },
      { name: 'dc2', servers: 1 },
      { name: 'dc3', servers: 1, replicationToken: 'read' },
      { name: 'dc4', servers: 1, tokenReplication: false },
      { name: 'dc5', servers: [{ id: 'old', version: '1.3.1' }] },
    ],
    legacyTokens: 100,
    events: [
      { kind: 'partition', at: 30, between: ['dc1', 'dc2'] },
      { kind: 'create-tokens', at: 40 },
    ],
  })
  expect(replication.dc2).toMatchObject({
    running: true,
    type: 'tokens',
    lastErrorAt: 40,
    lastError: 'the primary cannot be reached',
  })
  expect(replication.dc2?.lastSuccessAt).toBeLessThan(30)
  expect(replication.dc3).toMatchObject({
    type: 'tokens',
    tokens: 0,
    lastError: expect.stringContaining('acl:read'),
  })
  expect(replication.dc4).toMatchObject({ type: 'policies', lastError: null })
  expect(replication.dc5).toMatchObject({ type: 'legacy' })
})
