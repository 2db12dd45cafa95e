import { expect, test } from 'vitest'
import { resultOf, threeServers } from '../../test/scenario.ts'
import { sortFindings, verdictOf } from './finding.ts'

const idsOf = (input: Parameters<typeof resultOf>[0]) => resultOf(input).findings.map(({ id }) => id)

test('a critical finding is a no-go, a warning is a go with care; findings are sorted, worst first', () => {
  const finding = (severity: 'critical' | 'warning' | 'info') => ({
    id: severity,
    severity,
    count: 1,
    detail: '',
    avoid: '',
  })
  expect(verdictOf([finding('info')])).toBe('go')
  expect(verdictOf([finding('info'), finding('warning')])).toBe('go with care')
  expect(verdictOf([finding('warning'), finding('critical')])).toBe('no-go')
  expect(
    sortFindings([finding('info'), finding('critical'), finding('warning')]).map(({ id }) => id),
  ).toEqual(['critical', 'warning', 'info'])
})

test('the point of no return is the moment the leader of the primary leaves legacy mode (spec 9.2.5)', () => {
  const { findings } = resultOf({ datacenters: threeServers(0, 10, 20) })
  expect(findings.find(({ id }) => id === 'point-of-no-return')).toMatchObject({
    from: 25.55,
    servers: ['s1'],
  })
  expect(findings.find(({ id }) => id === 'legacy-mode-window')).toMatchObject({ from: 0, to: 35.55 })
})

test('an upgrade from 1.4.0 or later has passed the point of no return before it begins (spec 9.2.5)', () => {
  const upgrade = { datacenters: threeServers(10, 20, 30), version: '1.10' }
  expect(idsOf({ ...upgrade, from: '1.8.7' })).not.toContain('point-of-no-return')
  expect(idsOf({ ...upgrade, from: '1.3.1' })).toContain('point-of-no-return')
})

test('an upgrade from 1.4.0 or later has no common window: each server is in legacy mode at its own start', () => {
  const [first, second, third] = [10, 60, 110].map((at, i) => ({
    ...{ at, kind: 'restart' as const, server: `s${i + 1}`, version: '1.10', downtime: 5 },
  }))
  const { findings, servers } = resultOf({
    datacenters: threeServers(0, 0, 0),
    from: '1.8.7',
    version: '1.8.7',
    events: [second, third, first].flatMap((each) => each ?? []),
  })
  const moments = Object.values(servers).flatMap(({ legacyMode }) =>
    legacyMode.map(({ from, to }) => (to ?? Number.NaN) - from),
  )
  expect(moments).toHaveLength(6)
  const window = findings.find(({ id }) => id === 'legacy-mode-window')
  expect(window?.detail).toContain(`at most ${Math.max(...moments)} s later`)
  expect([window?.from, window?.to]).toEqual([undefined, undefined])
})

test('a stop at 1.7.0 or 1.7.1 gets a warning, one at 1.7.2 does not', () => {
  expect(idsOf({ version: '1.7.0' })).toContain('session-stop')
  expect(idsOf({ version: '1.7.1' })).toContain('session-stop')
  expect(idsOf({ version: '1.7.2' })).not.toContain('session-stop')
})

test('legacy updates of migrated tokens that do not reach secondaries: up to 1.6.5 and in 1.7.0 to 1.7.3', () => {
  const input = (version: string) => ({
    version,
    datacenters: [
      { name: 'dc1', servers: [{ id: 's1' }] },
      { name: 'dc2', servers: [{ id: 't1' }] },
    ],
    legacyTokens: 200,
    events: [{ kind: 'edit-tokens' as const, at: 20, count: 4, state: 'migrated' as const }],
  })
  expect(resultOf(input('1.6.5')).findings.find(({ id }) => id === 'edits-not-replicated')?.count).toBe(4)
  expect(idsOf(input('1.6.6'))).not.toContain('edits-not-replicated')
  expect(idsOf(input('1.7.3'))).toContain('edits-not-replicated')
  expect(idsOf(input('1.7.4'))).not.toContain('edits-not-replicated')
})

test('converted tokens keep their rights at 1.11, others are counted; with default allow they gain rights', () => {
  const input = {
    version: '1.11.0',
    from: '1.10.0',
    legacyTokens: [{ type: 'client' as const, count: 10, rules: 'key "" { policy = "deny" }' }],
    datacenters: threeServers(20, 30, 40),
  }
  const lost = (rest: object) =>
    resultOf({ ...input, ...rest }).findings.find(({ id }) => id === 'rules-ignored-at-1.11')
  expect(lost({})?.count).toBe(10)
  expect(lost({ defaultPolicy: 'allow' })?.detail).toContain('gain every right')
  expect(lost({ events: [{ kind: 'convert-tokens', at: 10, count: 4 }] })?.count).toBe(6)
  expect(lost({ events: [{ kind: 'convert-tokens', at: 10 }] })).toBeUndefined()
})

test('our own servers do not start as 1.11 while tokens would lose rights', () => {
  const { findings, verdict } = resultOf({
    model: 'latchkey',
    version: '1.10.0',
    legacyTokens: [{ type: 'client', count: 10, rules: 'key "" { policy = "read" }' }],
    datacenters: threeServers(0, 0, 0),
    events: [{ kind: 'restart', at: 60, server: 's2', version: '1.11.0' }],
  })
  expect(findings.find(({ id }) => id === 'start-refused')).toMatchObject({ servers: ['s2'] })
  expect(verdict).toBe('no-go')
})

test('where only versions without the new ACLs run, no accessor is missing', () => {
  const upgrade = (version: string) =>
    resultOf({ from: '1.2.0', version, legacyTokens: [{ count: 3, unwritable: true }] })
  expect(upgrade('1.3.1')).toMatchObject({ verdict: 'go', findings: [] })
  expect(upgrade('1.4.0').findings.map(({ id }) => id)).toContain('accessors-missing')
})

test('a batch less than a second after one of another leader is a finding, not a violation by the model', () => {
  const { findings, violations } = resultOf({
    electionTime: 0.1,
    legacyTokens: 1_000,
    datacenters: threeServers(0, 0, 0),
    events: [{ kind: 'crash', at: 2.2, server: 's1' }],
  })
  expect(findings.map(({ id }) => id)).toContain('batches-close-at-takeover')
  expect(violations).toEqual([])
})

test('intentions of other namespaces are deleted by the migration, and connect must be on', () => {
  const input = {
    from: '1.8.7',
    version: '1.9.0',
    intentions: [
      { source: 'a', destination: 'b' },
      { source: 'a', destination: 'c', namespace: 'team' },
      { source: 'a', sourceNamespace: 'team', destination: 'd' },
    ],
  }
  expect(resultOf(input).findings.find(({ id }) => id === 'intentions-deleted')?.count).toBe(2)
  expect(idsOf({ ...input, connect: false })).toContain('intentions-never-migrate')
})

test('a server before 1.9.0 that remains blocks intention writes permanently, and is named (spec 9.5.1)', () => {
  const { findings } = resultOf({
    from: '1.8.7',
    version: '1.9.0',
    intentions: 5,
    datacenters: [{ name: 'dc1', servers: [{ id: 's1' }, { id: 's2', version: '1.8.7' }] }],
  })
  expect(findings.find(({ id }) => id === 'intentions-blocked-forever')).toMatchObject({ servers: ['s2'] })
})

test('a version past the tables is said to be unknown: a warning, or critical where even the major version is new', () => {
  const unknown = (version: string) =>
    resultOf({ from: '1.10.0', version }).findings.find(({ id }) => id === 'version-unknown')
  expect(unknown('1.11.9')).toBeUndefined()
  expect(unknown('1.12.0')).toMatchObject({ severity: 'warning', count: 1 })
  expect(unknown('2.5')).toMatchObject({ severity: 'critical', detail: expect.stringContaining('2.5') })
})

test('a server of 1.15 or later does not start while tokens have no accessor', () => {
  const refused = (version: string, legacyTokens: number) =>
    resultOf({ version, legacyTokens }).findings.find(({ id }) => id === 'start-refused')
  expect(refused('1.16.0', 3)).toMatchObject({ severity: 'critical', servers: ['s1'] })
  expect(refused('1.16.0', 3)?.avoid).toContain('accessor')
  expect(refused('1.14.0', 3)).toBeUndefined()
  expect(refused('1.16.0', 0)).toBeUndefined()
})

test('a snapshot from before 1.4.0 keeps bootstrap closed, even where it never happened', () => {
  const bootstrap = (bootstrapped: boolean, snapshots: readonly string[]) =>
    resultOf({
      bootstrapped,
      datacenters: threeServers(20, 30, 40),
      events: snapshots.map((server) => ({ kind: 'snapshot', at: 10, server })),
    }).findings.filter(({ id }) => id.startsWith('bootstrap-'))
  expect(bootstrap(true, [])).toMatchObject([{ id: 'bootstrap-reopened', count: 3 }])
  expect(bootstrap(true, ['s1'])).toMatchObject([{ id: 'bootstrap-reopened', servers: ['s2', 's3'] }])
  expect(bootstrap(true, ['s1', 's2', 's3'])).toEqual([])
  expect(bootstrap(false, ['s1', 's2', 's3'])).toMatchObject([{ id: 'bootstrap-closed', count: 3 }])
})

test('rules that change by translation are critical where the scenario converts tokens', () => {
  const severity = (events: readonly { kind: 'convert-tokens'; at: number }[]) =>
    resultOf({ legacyTokens: [{ rules: 'acl = "write"' }], events: [...events] }).findings.find(
      ({ id }) => id === 'rules-change-by-translation',
    )?.severity
  expect(severity([])).toBe('warning')
  expect(severity([{ kind: 'convert-tokens', at: 60 }])).toBe('critical')
})

test('a finding about the rules of a token of the scenario names it, and never its secret', () => {
  const result = resultOf({ legacyTokens: [{ ID: 'canary-3c1', Name: 'crawler', Rules: 'key "a" {' }] })
  expect(result.findings.find(({ id }) => id === 'rules-unreadable')?.detail).toContain('"crawler": ')
  expect(JSON.stringify(result)).not.toContain('canary')
})
