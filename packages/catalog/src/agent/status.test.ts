import { expect, test } from 'vitest'
import {
  aggregateStatus,
  aliasResult,
  countResult,
  expiredOutput,
  maintenanceCheck,
  movesStatus,
  NO_RESULTS,
  outputWriteMs,
  statusOfHttp,
} from './aggregate.ts'

const checks = (...statuses: readonly string[]) =>
  statuses.map((Status, i) => ({ CheckID: `c${i}`, Name: `C${i}`, Status, Output: `out ${i}` }))

test('critical outweighs warning, which outweighs passing; maintenance outweighs all', () => {
  expect(aggregateStatus([])).toBe('passing')
  expect(aggregateStatus(checks('passing', 'odd'))).toBe('passing')
  expect(aggregateStatus(checks('warning', 'passing'))).toBe('warning')
  expect(aggregateStatus(checks('warning', 'critical', 'warning'))).toBe('critical')
  for (const { CheckID } of [maintenanceCheck(undefined, ''), maintenanceCheck('web', '')]) {
    expect(aggregateStatus([...checks('critical'), { CheckID, Status: 'critical' }])).toBe('maintenance')
  }
})

test('maintenance says why, or that it does not know', () => {
  expect(maintenanceCheck('web', 'new disk')).toMatchObject({
    CheckID: '_service_maintenance:web',
    Notes: 'new disk',
  })
  expect(maintenanceCheck(undefined, '')).toEqual({
    CheckID: '_node_maintenance',
    Name: 'Node Maintenance Mode',
    Notes:
      'Maintenance mode is enabled for this node, but no reason was provided. This is a default message.',
  })
})

test('an alias follows the worst check, and the first of the critical ones', () => {
  expect(aliasResult([])).toEqual({ status: 'passing', output: 'No checks found.' })
  expect(aliasResult(checks('passing'))).toEqual({ status: 'passing', output: 'All checks passing.' })
  expect(aliasResult(checks('warning', 'passing'))).toEqual({
    status: 'warning',
    output: 'Aliased check "C0" failing: out 0',
  })
  expect(aliasResult(checks('warning', 'critical', 'critical')).output).toBe(
    'Aliased check "C1" failing: out 1',
  )
})

test('a status moves after as many equal results in a row as the check wants', () => {
  const wants = { successesToPass: 2, failuresToFail: 3 }
  let counts = NO_RESULTS
  const moves = (status: string) => {
    counts = countResult(counts, status)
    return movesStatus(counts, wants)
  }
  expect(['critical', 'critical', 'critical', 'critical'].map(moves)).toEqual([false, false, true, true])
  expect(['passing', 'critical', 'passing', 'warning'].map(moves)).toEqual([false, false, false, true])
})

test('2xx passes, 429 warns, everything else is critical', () => {
  expect([199, 200, 299, 300, 404, 429, 500].map(statusOfHttp)).toEqual([
    'critical',
    'passing',
    'passing',
    'critical',
    'critical',
    'warning',
    'critical',
  ])
})

test('an expired check shows its last output; output alone is written after 2.5 to 7.5 minutes', () => {
  expect(expiredOutput('')).toBe('TTL expired')
  expect(expiredOutput('ok')).toBe('TTL expired (last output before timeout follows): ok')
  expect([outputWriteMs(0), outputWriteMs(1)]).toEqual([150_000, 450_000])
})
