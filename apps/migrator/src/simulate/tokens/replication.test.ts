import { describe, expect, test } from 'vitest'
import { resultOf } from '../../../test/scenario.ts'
import type { ScenarioInput } from '../../scenario/schema.ts'

/** A primary and a secondary of one server each. */
const TWO: ScenarioInput['datacenters'] = [
  { name: 'dc1', servers: [{ id: 's1' }] },
  { name: 'dc2', servers: [{ id: 't1' }] },
]

test('a secondary follows within one to two seconds, at most one round a second', () => {
  const { replication, migration } = resultOf({ datacenters: TWO, legacyTokens: 10_000, networkDelay: 0.1 })
  const lag = (replication.dc2?.completeAt ?? 0) - (migration.dc1?.lastBatchAt ?? 0)
  expect(lag).toBeGreaterThan(0.1)
  expect(lag).toBeLessThan(2)
  expect(replication.dc2).toMatchObject({ tokens: 10_000, ghosts: 0 })
  expect(replication.dc2?.rounds).toBeLessThanOrEqual(79 + 4)
})

test('a broken link delivers nothing; the first retry after it heals delivers everything', () => {
  const { replication } = resultOf({
    datacenters: TWO,
    legacyTokens: 1_000,
    events: [{ kind: 'partition', at: 2.5, between: ['dc1', 'dc2'], for: 20 }],
  })
  // The first failing round is for the batch at 3.05 s; retries follow after 2, 4, 8 and 16 s, the last at 33.05 s.
  expect(replication.dc2).toMatchObject({ tokens: 1_000, completeAt: 33.05 })
})

test('a token deleted after its accessor has arrived is deleted in the secondary too: no ghost', () => {
  const { replication } = resultOf({
    datacenters: TWO,
    legacyTokens: 500,
    events: [{ kind: 'delete-tokens', at: 30, count: 7 }],
  })
  expect(replication.dc2).toMatchObject({ tokens: 493, ghosts: 0 })
})

test('a token deleted while the secondary is in legacy mode is deleted there by the legacy loop: no ghost', () => {
  const { replication } = resultOf({
    datacenters: [
      { name: 'dc1', servers: [{ id: 's1' }] },
      { name: 'dc2', servers: [{ id: 't1', start: 40 }] },
    ],
    legacyTokens: 500,
    events: [{ kind: 'delete-tokens', at: 20, count: 7 }],
  })
  expect(replication.dc2).toMatchObject({ tokens: 493, ghosts: 0 })
})

describe('our servers', () => {
  const ours = (input: Partial<ScenarioInput>) =>
    resultOf({ model: 'latchkey', datacenters: TWO, legacyTokens: 1_000, ...input })
  const [primary = { name: 'dc1' }] = TWO

  test('follow in new mode alone, each batch as it comes', () => {
    const { replication } = ours({
      datacenters: [primary, { name: 'dc2', servers: [{ id: 't1', start: 40 }] }],
      events: [{ kind: 'create-tokens', at: 20, count: 3 }],
    })
    expect(replication.dc2).toMatchObject({ rounds: 1, tokens: 1_003, completeAt: 40, type: 'tokens' })
    const late = ours({})
    expect(late.replication.dc2?.completeAt).toBe(late.migration.dc1?.lastBatchAt)
    expect(late.replication.dc2?.rounds).toBe(8)
  })

  test('leave no ghost: a copy whose original is gone ends when every token has its accessor', () => {
    const { replication, migration, findings } = ours({
      events: [{ kind: 'delete-tokens', at: 3, count: 7, state: 'unmigrated' }],
    })
    expect(replication.dc2).toMatchObject({ tokens: 993, ghosts: 0 })
    expect(migration.dc2?.remaining).toBe(0)
    expect(findings.map(({ id }) => id)).not.toContain('ghost-tokens')
  })

  test('try again soon after a broken link heals', () => {
    const { replication } = ours({
      events: [{ kind: 'partition', at: 2.5, between: ['dc1', 'dc2'], for: 20 }],
    })
    expect(replication.dc2?.completeAt).toBeGreaterThanOrEqual(22.5)
    expect(replication.dc2?.completeAt).toBeLessThanOrEqual(24)
  })

  test('replicate nothing with a token that may not see secrets', () => {
    const [, secondary = { name: 'dc2' }] = TWO
    const { replication, migration } = ours({
      datacenters: [primary, { ...secondary, replicationToken: 'read' }],
    })
    expect(replication.dc2).toMatchObject({
      tokens: 0,
      lastError: expect.stringContaining('nothing replicates'),
    })
    expect(migration.dc2?.remaining).toBe(1_000)
  })

  test('do not leave legacy mode while the primary is out of reach, whatever gossip told before', () => {
    const { servers } = ours({
      datacenters: [primary, { name: 'dc2', servers: [{ id: 't1', start: 10 }] }],
      events: [{ kind: 'partition', at: 9, between: ['dc1', 'dc2'], for: 20 }],
    })
    expect(servers.t1?.newModeAt).toBeGreaterThanOrEqual(29)
  })
})
