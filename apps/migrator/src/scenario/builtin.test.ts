import { describe, expect, test } from 'vitest'
import { InputError } from '../errors.ts'
import { runSimulation, type SimulationResult } from '../output/result.ts'
import { builtinNames, readBuiltin } from './builtin.ts'

/** Each built-in scenario and what it must show. */
const SHOWS: Readonly<Record<string, (result: SimulationResult) => void>> = {
  'spec-9.2.1-legacy-mode': ({ clients, servers }) => {
    expect(clients['legacy-mode']).toMatchObject({
      status: 500,
      text: 'The ACL system is currently in legacy mode.',
    })
    expect(clients['legacy-mode']?.last).toBeLessThan(servers.s2?.newModeAt ?? 0)
    expect(clients['legacy-mode']?.workloads).not.toHaveProperty('vault')
  },
  'spec-9.2.2-mode-ends': ({ servers }) => {
    expect(Object.values(servers).map(({ newModeAt }) => newModeAt)).toEqual([25.55, 35.55, 26.35])
  },
  'spec-9.2.2-secondary-waits': ({ servers, agents }) => {
    const modes = Object.values(servers).map(({ newModeAt }) => newModeAt ?? 0)
    expect(Math.min(...modes.slice(3))).toBeGreaterThan(Math.max(...modes.slice(0, 3)))
    expect(agents['web-1']?.newModeAt).toBeGreaterThan(Math.max(...modes))
  },
  'spec-9.2.2-primary-first': ({ servers, replication }) => {
    expect([servers.b1?.newModeAt, servers.b2?.newModeAt]).toEqual([23.15, 23.35])
    expect(replication.dc2).toMatchObject({ tokens: 300, ghosts: 0 })
  },
  'spec-9.2.3-accessor-migration': ({ migration }) => {
    expect(migration.dc1).toMatchObject({ batches: 79, firstBatchAt: 0.05, lastBatchAt: 78.05, conflicts: 3 })
  },
  'spec-9.2.4-legacy-creation': ({ migration, clients, findings }) => {
    expect(migration.dc1?.sizes).toEqual([128, 128, 56, 1])
    expect(clients['endpoint-removed']).toMatchObject({ status: 410, first: 60 })
    expect(findings.filter(({ id }) => id === 'legacy-writes-refused')).toHaveLength(2)
  },
  'spec-9.2.5-roll-back-in-time': ({ servers, findings }) => {
    expect(findings.map(({ id }) => id)).toContain('rolled-back')
    expect(servers.s1?.newModeAt).toBe(81.15)
  },
  'spec-9.3-1.0-key-value-403': ({ clients }) => {
    expect(clients['kv-forbidden']).toMatchObject({
      status: 403,
      text: 'rpc error: Permission denied',
      isError: false,
    })
    expect(clients['wrong-method']?.status).toBe(405)
  },
  'spec-9.3-1.0.7-index-decreases': ({ clients }) => {
    const { first = 0, last = 0 } = clients['index-decreased'] ?? {}
    expect(first).toBeGreaterThanOrEqual(10)
    expect(last).toBeLessThanOrEqual(31)
  },
  'spec-9.3-1.3.0-tag-filter-ignored': ({ clients }) => {
    expect(clients['tag-ignored']).toMatchObject({ first: 12, last: 78 })
  },
  'spec-9.3-1.3.0-tag-filter-empty': ({ clients }) => {
    expect(clients['tag-no-instance']?.last).toBeLessThan(30)
  },
  'spec-9.3-1.7.0-sessions': ({ clients }) => {
    expect(clients['session-rejected']?.status).toBe(500)
    expect(clients['session-rejected']?.last).toBeLessThan(80)
  },
  'spec-9.3-1.7.0-unknown-fields': ({ clients }) => {
    expect(clients['unknown-field']?.status).toBe(400)
    expect(clients['ptr-name-changed']).toMatchObject({ isError: false })
  },
  'spec-9.3-1.9.0-intentions-list': ({ clients }) => {
    expect(clients['intentions-of-one-namespace']?.first).toBeGreaterThanOrEqual(10)
  },
  'spec-9.5.2-intentions-blocked': ({ clients, timeline }) => {
    const done = timeline.filter(({ kind }) => kind === 'intentions-done')
    expect(done.map(({ datacenter }) => datacenter)).toEqual(['dc1', 'dc2'])
    expect(clients['intentions-blocked']).toMatchObject({
      status: 500,
      text: expect.stringContaining('Intentions are read only while being upgraded to config entries'),
    })
    expect(clients['intentions-blocked']?.last).toBeLessThan(done[0]?.at ?? 0)
    expect(Object.values(clients).every(({ workloads }) => !('console' in workloads))).toBe(true)
  },
  'spec-9.5.3-intention-fields-move': ({ clients, findings }) => {
    expect(clients['intention-id-gone']?.first).toBeGreaterThanOrEqual(30)
    expect(findings.find(({ id }) => id === 'intention-fields-move')?.count).toBe(2)
  },
  'spec-8-connection-limit': ({ clients }) => {
    expect(clients['connection-closed']).toMatchObject({ first: 10, last: 10, count: 28 })
  },
  'hazard-acls-off': ({ findings }) => {
    expect(findings[0]).toMatchObject({ id: 'legacy-mode-stuck', severity: 'critical' })
  },
  'hazard-batch-undone': ({ findings, migration }) => {
    expect(findings.map(({ id }) => id)).toContain('batch-undone')
    expect(migration.dc1).toMatchObject({ batches: 3, remaining: 617 })
  },
  'hazard-bootstrap-reopened': ({ clients, findings }) => {
    expect(clients['bootstrap-reopened']?.status).toBe(200)
    expect(findings.map(({ id }) => id)).toContain('bootstrap-reopened')
  },
  'hazard-dead-server-left': ({ findings }) => {
    expect(findings[0]?.avoid).toContain('upgrade to 1.6.0 or later')
  },
  'hazard-ghost-tokens': ({ replication, findings }) => {
    expect(replication.dc2).toMatchObject({ ghosts: 3, tokens: 997 })
    expect(findings[0]).toMatchObject({ id: 'ghost-tokens', count: 3 })
  },
  'hazard-leader-dies': ({ migration }) => {
    expect(migration.dc1).toMatchObject({ tokens: 1_502, batches: 12, remaining: 0 })
  },
  'hazard-leader-pauses': ({ migration }) => {
    expect(migration.dc1).toMatchObject({ tokens: 2_000, remaining: 0 })
  },
  'hazard-log-writes-lost': ({ findings }) => {
    expect(findings.find(({ id }) => id === 'log-writes-lost')).toMatchObject({
      count: 20,
      servers: ['s2', 's3'],
    })
  },
  'hazard-partition-in-upgrade': ({ servers, migration, replication, clients }) => {
    expect(servers.b1?.newModeAt).toBeGreaterThan(26)
    expect(migration.dc1?.lastBatchAt).toBeLessThan(26)
    expect(replication.dc2?.completeAt).toBeGreaterThan(26)
    expect(clients['legacy-mode']?.last).toBeGreaterThan(25)
  },
  'hazard-restart-while-cut-off': ({ servers, replication }) => {
    expect(servers.b1).toMatchObject({ newModeAt: 24 })
    expect(replication.dc2).toMatchObject({ tokens: 303 })
    expect(replication.dc2?.completeAt).toBeGreaterThan(40)
  },
  'hazard-read-only-replication-token': ({ replication, findings }) => {
    expect(replication.dc2).toMatchObject({ tokens: 0 })
    expect(findings.map(({ id }) => id)).toContain('replication-token-read-only')
  },
  'hazard-rules-change-meaning': ({ findings }) => {
    const counts = Object.fromEntries(findings.map(({ id, count }) => [id, count]))
    expect(counts).toMatchObject({
      'rules-unreadable': 1,
      'rules-change-at-1.4.0': 3,
      'rules-level-case': 4,
      'rules-change-by-translation': 3,
      'rules-ignored': 2,
    })
  },
  'hazard-stale-gossip': ({ servers, findings }) => {
    expect(servers.t1?.newModeAt).toBeNull()
    expect(servers.s3?.newModeAt).toBe(26.35)
    expect(findings[0]?.avoid).toContain('restart s3')
  },
  'hazard-unconverted-at-1.11': ({ findings }) => {
    expect(findings[0]).toMatchObject({ id: 'rules-ignored-at-1.11', count: 250, severity: 'critical' })
  },
}

const REFUSED = 'spec-9.2.5-no-downgrade'

describe('built-in scenarios', () => {
  test.each(Object.entries(SHOWS))('%s', (name, show) => {
    const { result } = runSimulation(readBuiltin(name), { replay: '' })
    expect(result.violations).toEqual([])
    show(result)
  })

  test('every scenario of the folder has a test here', () => {
    expect(builtinNames()).toEqual([...Object.keys(SHOWS), REFUSED].sort())
  })

  test('spec-9.2.5-no-downgrade is refused with its line (spec 9.2.5)', () => {
    const run = () => runSimulation(readBuiltin(REFUSED), { replay: '' })
    expect(run).toThrow(InputError)
    expect(run).toThrow(/s2 cannot run 1\.3\.1 at 1 min.*complete since 0\.05 s.*spec 9\.2\.5/)
  })
})
