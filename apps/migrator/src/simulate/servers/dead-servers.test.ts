import { expect, test } from 'vitest'
import { newModes, resultOf } from '../../../test/scenario.ts'
import type { ScenarioInput } from '../../scenario/schema.ts'

const OLD = { id: 'old', version: '1.3.1' }

/** A datacenter with two upgraded servers, and others. */
const cluster = (...others: readonly object[]) =>
  [
    { name: 'dc1', servers: [{ id: 's1', leader: true }, { id: 's2' }, ...others] },
  ] as ScenarioInput['datacenters']

// Which dead servers count, by the version of the server that looks.
test.each([
  { version: '1.5.3', gone: 'leave', leaves: null },
  { version: '1.6.0', gone: 'leave', leaves: 6.35 },
  { version: '1.5.3', gone: 'crash', leaves: null },
  { version: '1.6.4', gone: 'crash', leaves: null },
  { version: '1.6.5', gone: 'crash', leaves: 6.35 },
  { version: '1.7.0', gone: 'crash', leaves: null },
  { version: '1.7.1', gone: 'crash', leaves: null },
  { version: '1.7.2', gone: 'crash', leaves: 6.35 },
] as const)(
  '$version: an old server that is gone ($gone) and the leader leaves at $leaves',
  ({ version, gone, leaves }) => {
    const datacenters = cluster({ id: 's3' }, OLD)
    const events = [{ kind: gone, at: 5, server: 'old' }]
    expect(newModes({ version, datacenters, events }).s1).toBe(leaves)
  },
)

// Seen from a secondary, a failed server of the primary counts in every version.
test.each(['1.6.5', '1.10.0'])('%s: a failed old server of the primary holds the secondary up', (version) => {
  const modes = newModes({
    version,
    datacenters: [...cluster(OLD), { name: 'dc2', servers: [{ id: 't1' }] }],
    events: [{ kind: 'crash', at: 5, server: 'old' }],
  })
  expect(modes.s1).toBe(6.35)
  expect(modes.t1).toBeNull()
})

// A checker once reported that these leave too early.
test.each([
  ['1.5.3', null],
  ['1.6.0', 51.15],
  ['1.7.1', 51.15],
])('%s: a failed server that is forced to leave no longer counts from 1.6.0: %s', (version, leaves) => {
  const { servers, violations } = resultOf({
    version,
    datacenters: cluster(OLD),
    events: [
      { kind: 'crash', at: 5, server: 'old' },
      { kind: 'force-leave', at: 40, server: 'old' },
    ],
  })
  expect(servers.s1?.newModeAt).toBe(leaves)
  expect(violations).toEqual([])
})

test.each([
  ['1.5.3', 0, { ...OLD, status: 'left' }, []],
  ['1.5.2', 5, OLD, [{ kind: 'leave', at: 5, server: 'old' }]],
] as const)(
  '%s: a server that left after %s s is forgotten after a day, where the scenario lasts that long',
  (version, left, old, events) => {
    const datacenters = cluster(old)
    const { servers, violations } = resultOf({ version, duration: '25h', datacenters, events: [...events] })
    const leftAt = servers.s1?.newModeAt ?? 0
    expect(leftAt - left).toBeGreaterThanOrEqual(86_400)
    expect(leftAt - left).toBeLessThanOrEqual(86_400 + 60 + 30)
    expect(violations).toEqual([])
  },
)

test('a server with ACLs off blocks until it is restarted with ACLs on', () => {
  const datacenters = cluster({ id: 's3', acls: false })
  const blocked = resultOf({ datacenters })
  expect(Object.values(blocked.servers).map(({ newModeAt }) => newModeAt)).toEqual([null, null, null])
  expect(blocked.findings.find(({ id }) => id === 'legacy-mode-stuck')?.detail).toContain(
    's3 (ACLs are switched off)',
  )
  const modes = newModes({ datacenters, events: [{ kind: 'restart', at: 30, server: 's3', acls: true }] })
  expect(modes).toEqual({ s1: 51.15, s2: 81.15, s3: 55.55 })
})

test('a partition from the beginning keeps the secondary in legacy mode: it knows no primary server that has left', () => {
  const datacenters = [
    { name: 'dc1', servers: [{ id: 's1' }] },
    { name: 'dc2', servers: [{ id: 't1' }] },
  ]
  const modes = newModes({
    datacenters,
    events: [{ kind: 'partition', at: 0, between: ['dc1', 'dc2'], for: 60 }],
  })
  expect(modes).toEqual({ s1: 0.05, t1: 81.15 })
})

test('a client agent of a secondary leaves last, five hops after the primary, which is no violation', () => {
  const { agents, violations } = resultOf({
    datacenters: [
      {
        name: 'dc1',
        servers: [
          { id: 's1', leader: true },
          { id: 's2', start: 81.2 },
          { id: 's3', start: 29.95 },
        ],
      },
      {
        name: 'dc2',
        servers: [
          { id: 't1', start: 59.9, leader: true },
          { id: 't2', start: 59.85 },
        ],
        agents: [
          { id: 'a1', start: 59.8 },
          { id: 'late', start: 900 },
        ],
      },
    ],
  })
  expect(agents.a1?.newModeAt).toBe(230.95)
  expect(agents.late?.newModeAt).toBe(900)
  expect(violations).toEqual([])
})

test('a lone server looks as it becomes leader: it leaves legacy mode before a legacy round, and keeps ghosts', () => {
  const { servers, replication } = resultOf({
    version: '1.8.7',
    datacenters: [
      { name: 'dc1', servers: [{ id: 's1' }] },
      { name: 'dc2', servers: [{ id: 't1' }] },
    ],
    legacyTokens: 1_000,
    events: [
      { kind: 'crash', at: 0.01, server: 't1' },
      { kind: 'delete-tokens', at: 15, count: 3 },
      { kind: 'start', at: 20, server: 't1' },
    ],
  })
  expect(servers.t1?.newModeAt).toBe(20)
  expect(replication.dc2?.ghosts).toBe(3)
})

test('a server before 1.9.0 cannot return once intentions are config entries', () => {
  const back = (intentions: number) => () =>
    resultOf({
      from: '1.8.7',
      version: '1.9.0',
      intentions,
      events: [{ kind: 'restart', at: 60, server: 's1', version: '1.8.7' }],
    })
  expect(back(2)).toThrow(/s1 cannot run 1\.8\.7 at 1 min, as the intentions of dc1 are config entries/)
  expect(back(0)).not.toThrow()
})

// Latchkey servers, by the rule in `acl` that they share with the simulator.
test.each([
  { event: { kind: 'restart', version: '1.4.0', downtime: 60 }, leaves: 65 },
  { event: { kind: 'restart', version: '1.4.0', downtime: 600 }, leaves: 306 },
  { event: { kind: 'leave' }, leaves: 6 },
  { event: { kind: 'crash' }, leaves: null },
] as const)('latchkey: after $event the mode ends at $leaves', ({ event, leaves }) => {
  const servers = [{ id: 's1' }, { id: 's2' }, { id: 'old', version: '1.3.1' }]
  const modes = newModes({
    model: 'latchkey',
    datacenters: [{ name: 'dc1', servers }],
    events: [{ at: 5, server: 'old', ...event }],
  })
  expect(modes.s1).toBe(leaves)
})
