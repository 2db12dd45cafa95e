import { expect, test } from 'vitest'
import { resultOf, threeServers } from '../../test/scenario.ts'
import { sortFindings, verdictOf } from './finding.ts'

const idsOf = (input: Parameters<typeof resultOf>[0]) => resultOf(input).findings.map(({ id }) => id)

test('a clean upgrade is a go', () => {
  const { verdict, reasons } = resultOf({ datacenters: threeServers(0, 10, 20), legacyTokens: 1_000 })
  expect(verdict).toBe('go')
  expect(reasons).toEqual([])
})

test('anything critical is a no-go, any warning asks for care, worst first', () => {
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

test('a stop at 1.7.0 or 1.7.1 is warned of, one at 1.7.2 is not', () => {
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

test('converted tokens keep their rights at 1.11, others are counted; default allow is worse in its own way', () => {
  const input = {
    version: '1.11.0',
    from: '1.10.0',
    legacyTokens: [{ type: 'client' as const, count: 10, rules: 'key "" { policy = "deny" }' }],
    datacenters: threeServers(20, 30, 40),
  }
  const lost = (rest: object) =>
    resultOf({ ...input, ...rest }).findings.find(({ id }) => id === 'rules-ignored-at-1.11')
  expect(lost({})?.count).toBe(10)
  expect(lost({ defaultPolicy: 'allow' })?.detail).toContain('gain everything')
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

test('tokens without accessor keep 1.15 and later from starting, and the finding says so', () => {
  const { findings } = resultOf({
    version: '1.16.0',
    legacyTokens: [{ count: 3, unwritable: true }],
  })
  expect(findings.find(({ id }) => id === 'accessors-missing')?.detail).toContain('1.15')
})

test('a batch less than a second after one of another leader is said, and is no fault of the model', () => {
  const { findings, violations } = resultOf({
    electionTime: 0.1,
    legacyTokens: 1_000,
    datacenters: threeServers(0, 0, 0),
    events: [{ kind: 'crash', at: 2.2, server: 's1' }],
  })
  expect(findings.map(({ id }) => id)).toContain('batches-close-at-takeover')
  expect(violations).toEqual([])
})

test('the model of our servers keeps the law over a takeover (spec 8)', () => {
  const { migration, violations } = resultOf({
    model: 'latchkey',
    electionTime: 0.1,
    legacyTokens: 1_000,
    datacenters: threeServers(0, 0, 0),
    events: [{ kind: 'crash', at: 2.2, server: 's1' }],
  })
  expect(migration.dc1).toMatchObject({ tokens: 1_000, batches: 8 })
  expect(violations).toEqual([])
})

test('intentions of other namespaces are deleted by the migration, and connect must be on', () => {
  const input = {
    from: '1.8.7',
    version: '1.9.0',
    intentions: [
      { source: 'a', destination: 'b' },
      { source: 'a', destination: 'c', namespace: 'team' },
    ],
  }
  expect(resultOf(input).findings.find(({ id }) => id === 'intentions-deleted')?.count).toBe(1)
  expect(idsOf({ ...input, connect: false })).toContain('intentions-never-migrate')
})

test('a server of before 1.9.0 that stays blocks intention writes for good, and is named (spec 9.5.1)', () => {
  const { findings } = resultOf({
    from: '1.8.7',
    version: '1.9.0',
    intentions: 5,
    datacenters: [{ name: 'dc1', servers: [{ id: 's1' }, { id: 's2', version: '1.8.7' }] }],
  })
  expect(findings.find(({ id }) => id === 'intentions-blocked-forever')).toMatchObject({ servers: ['s2'] })
})
