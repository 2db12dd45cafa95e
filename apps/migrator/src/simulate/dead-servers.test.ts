import { expect, test } from 'vitest'
import { newModes, resultOf } from '../../test/scenario.ts'

/** Two upgraded servers and an old one that goes away in the given way, 5 s after the start. */
function withOldServer(version: string, gone: 'leave' | 'crash'): Record<string, number | null> {
  return newModes({
    version,
    datacenters: [
      {
        name: 'dc1',
        servers: [{ id: 's1', leader: true }, { id: 's2' }, { id: 's3' }, { id: 'old', version: '1.3.1' }],
      },
    ],
    events: [{ kind: gone, at: 5, server: 'old' }],
  })
}

// Which dead servers count, by the version of the server that looks.
test.each([
  { version: '1.4.0', gone: 'leave', leaves: null },
  { version: '1.5.3', gone: 'leave', leaves: null },
  { version: '1.6.0', gone: 'leave', leaves: 6.35 },
  { version: '1.8.7', gone: 'leave', leaves: 6.35 },
  { version: '1.5.3', gone: 'crash', leaves: null },
  { version: '1.6.0', gone: 'crash', leaves: null },
  { version: '1.6.4', gone: 'crash', leaves: null },
  { version: '1.6.5', gone: 'crash', leaves: 6.35 },
  { version: '1.7.0', gone: 'crash', leaves: null },
  { version: '1.7.1', gone: 'crash', leaves: null },
  { version: '1.7.2', gone: 'crash', leaves: 6.35 },
  { version: '1.10.0', gone: 'crash', leaves: 6.35 },
] as const)(
  '$version: an old server that is gone ($gone) and the leader leaves at $leaves',
  ({ version, gone, leaves }) => {
    expect(withOldServer(version, gone).s1).toBe(leaves)
  },
)

// Seen from a secondary, a failed server of the primary counts in every version.
test.each(['1.6.5', '1.10.0'])('%s: a failed old server of the primary holds the secondary up', (version) => {
  const modes = newModes({
    version,
    datacenters: [
      { name: 'dc1', servers: [{ id: 's1', leader: true }, { id: 's2' }, { id: 'old', version: '1.3.1' }] },
      { name: 'dc2', servers: [{ id: 't1' }] },
    ],
    events: [{ kind: 'crash', at: 5, server: 'old' }],
  })
  expect(modes.s1).toBe(6.35)
  expect(modes.t1).toBeNull()
})

test('a failed server that is forced to leave no longer counts from 1.6.0', () => {
  const events = [
    { kind: 'crash', at: 5, server: 'old' },
    { kind: 'force-leave', at: 40, server: 'old' },
  ] as const
  const datacenters = [
    {
      name: 'dc1',
      servers: [{ id: 's1', leader: true }, { id: 's2' }, { id: 's3' }, { id: 'old', version: '1.3.1' }],
    },
  ]
  expect(newModes({ version: '1.6.0', datacenters, events: [...events] }).s1).toBe(51.15)
  expect(newModes({ version: '1.5.3', datacenters, events: [...events] }).s1).toBeNull()
})

test('a server that left is forgotten after a day, where the scenario lasts that long', () => {
  const { servers } = resultOf({
    version: '1.5.3',
    duration: '25h',
    datacenters: [
      {
        name: 'dc1',
        servers: [{ id: 's1', leader: true }, { id: 's2' }, { id: 'old', version: '1.3.1', status: 'left' }],
      },
    ],
  })
  const leftAt = servers.s1?.newModeAt ?? 0
  expect(leftAt).toBeGreaterThanOrEqual(86_400)
  expect(leftAt).toBeLessThanOrEqual(86_400 + 60 + 30)
})

test('one server with ACLs off blocks without end; restarted with ACLs on, it no longer does', () => {
  const datacenters = [
    { name: 'dc1', servers: [{ id: 's1', leader: true }, { id: 's2' }, { id: 's3', acls: false }] },
  ]
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
