import { expect, test } from 'vitest'
import { type ReplicationReport, replicationStateOf, STILL_MS_MAX } from './replication-state.ts'

const NOW = Date.UTC(2031, 0, 1)
const RECORD = { cluster: 'c', index: 40, skipped: [{ accessorId: 'a', reason: 'its secret is in use' }] }

function aReport(fields: Partial<ReplicationReport> = {}): ReplicationReport {
  return {
    state: 'following',
    pausedBy: undefined,
    lastSuccess: NOW - 1_500,
    lastError: undefined,
    lastErrorMessage: undefined,
    primaryIndex: 42,
    primaryCluster: 'c',
    index: 40,
    lagIndex: 2,
    lagMs: 0,
    clockOffsetMs: 0,
    copied: 0,
    since: NOW - 10_000,
    isPrimaryLegacy: false,
    ...fields,
  }
}

function stateOf(report: ReplicationReport | undefined, isLegacyMode = false) {
  return replicationStateOf({ source: 'dc1', isLegacyMode, record: RECORD, report, now: NOW })
}

test('a secondary that follows: instants in whole seconds, and the lag', () => {
  expect(stateOf(aReport())).toMatchObject({
    running: true,
    type: 'tokens',
    index: 40,
    primaryIndex: 42,
    lagIndex: 2,
    lagSeconds: 0,
    lastSuccess: '2030-12-31T23:59:58Z',
    lastError: '0001-01-01T00:00:00Z',
    skipped: [{ AccessorID: 'a', Reason: 'its secret is in use' }],
  })
})

test('it runs until the last answer is a minute old, and not while it is paused', () => {
  const runs = (fields: Partial<ReplicationReport>) => stateOf(aReport(fields)).running
  expect(runs({ state: 'waiting', lastSuccess: NOW - STILL_MS_MAX + 1 })).toBe(true)
  expect(runs({ state: 'waiting', lastSuccess: NOW - STILL_MS_MAX })).toBe(false)
  expect(runs({ lastSuccess: undefined })).toBe(false)
  expect(runs({ state: 'paused' })).toBe(false)
})

test('no process replicates: it does not run, and the lag is unknown', () => {
  expect(stateOf(undefined)).toMatchObject({ enabled: true, running: false, state: 'waiting', index: 40 })
  expect(stateOf(undefined).lagSeconds).toBeUndefined()
})

test('a process that has never seen the records up to date reports a lower bound of the lag', () => {
  expect(stateOf(aReport({ lagMs: undefined })).lagSeconds).toBe(10)
})

test('in legacy mode, here or in the primary, nothing is followed (spec 9.2.2)', () => {
  expect(stateOf(aReport(), true)).toMatchObject({ running: false, type: 'legacy' })
  expect(stateOf(aReport({ isPrimaryLegacy: true })).type).toBe('legacy')
})

test('if legacy mode cannot end because the primary follows another datacenter, the status says so', () => {
  const parts = { source: 'dc1', isLegacyMode: true, record: undefined, report: undefined, now: NOW } as const
  const problem = 'dc1 is no primary'
  expect(replicationStateOf({ ...parts, problem }).lastErrorMessage).toBe(problem)
  expect(replicationStateOf({ ...parts, isLegacyMode: false, problem }).lastErrorMessage).toBe('')
})
