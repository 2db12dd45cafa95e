import { checkModeHistory } from '@latchkey/testkit/upgrade/check-mode-history'
import { DATACENTERS, ModeWorld, type Slot, type Step } from '@latchkey/testkit/upgrade/mode-world'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCounted, MEMBER_STOPPED_COUNTS_MS } from './member.ts'
import { decideMode } from './mode.ts'

const SLOTS = [0, 1] as const
const DAY_MS = 86_400_000

const anySlot = fc.record({ datacenter: fc.constantFrom(...DATACENTERS), slot: fc.constantFrom(...SLOTS) })
const anyVersion = fc.constantFrom('1.3.0', '1.3.1', '1.4.0', '1.8.7', '1.11')
const usuallyOn = fc.integer({ min: 0, max: 3 }).map((draw) => draw > 0)
const anyStart = fc
  .tuple(anySlot, anyVersion, usuallyOn)
  .map(([slot, version, aclEnabled]): Step => ({ kind: 'start', version, aclEnabled, ...slot }))
const anyStop = fc
  .tuple(anySlot, fc.constantFrom('stop', 'leave', 'crash', 'pause', 'resume'))
  .map(([slot, kind]): Step => ({ kind, ...slot }))

/** One event caused by operators, machines or networks. Replacement, the step of a real upgrade, is the most frequent. */
const anySteps: fc.Arbitrary<Step[]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(anySlot, anyStart).map(([slot, start]): Step[] => [
      { kind: 'stop', ...slot },
      { ...start, ...slot },
    ]),
  },
  { weight: 2, arbitrary: anyStart.map((start) => [start]) },
  { weight: 3, arbitrary: anyStop.map((stop) => [stop]) },
  { weight: 2, arbitrary: fc.boolean().map((reachable): Step[] => [{ kind: 'hear', reachable }]) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(1_000, 4_000, 6_000, MEMBER_STOPPED_COUNTS_MS, DAY_MS, 4 * DAY_MS)
      .map((ms): Step[] => [{ kind: 'pass', ms }]),
  },
  { weight: 1, arbitrary: fc.constantFrom(6_000, 4 * DAY_MS).map((ms): Step[] => [{ kind: 'outage', ms }]) },
)
/** Old clusters in both datacenters, then anything. */
const anySchedule = fc
  .array(anySteps, { maxLength: 40, size: 'max' })
  .map((steps): Step[] => [...startAll('1.3.0'), { kind: 'pass', ms: 1_000 }, ...steps.flat()])

function startAll(version: string): Step[] {
  return allSlots().map((slot) => ({ kind: 'start', version, aclEnabled: true, ...slot }))
}

function allSlots(): Slot[] {
  return DATACENTERS.flatMap((datacenter) => SLOTS.map((slot) => ({ datacenter, slot })))
}

test('safety: legacy mode never ends early, twice, or in the secondary first, and no old server works after it (spec 9.2)', () => {
  fc.assert(
    fc.property(anySchedule, (steps) => {
      expect(checkModeHistory(new ModeWorld().run(steps).history)).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})

test('liveness: after any schedule, both datacenters leave legacy mode once all servers support the new ACLs (spec 9.2.2)', () => {
  const repair: Step[] = [
    ...allSlots().map((slot): Step => ({ kind: 'stop', ...slot })),
    ...startAll('1.4.0'),
    { kind: 'pass', ms: 1_000 },
    { kind: 'pass', ms: 1_000 },
    { kind: 'hear', reachable: true },
    { kind: 'pass', ms: 1_000 },
  ]
  fc.assert(
    fc.property(anySchedule, (steps) => {
      // Every slot starts and stops first, so that its successor replaces a crashed server.
      const world = new ModeWorld().run([...steps, ...startAll('1.8.7'), ...repair])
      expect(DATACENTERS.map((datacenter) => world.modeOf(datacenter))).toEqual(['enabled', 'enabled'])
      expect(checkModeHistory(world.history)).toEqual([])
    }),
    { numRuns: 1_000 },
  )
})

test('liveness: a crashed old server that never comes back blocks the upgrade for three days, not forever', () => {
  const world = new ModeWorld().run([
    { kind: 'start', version: '1.3.0', aclEnabled: true, datacenter: 'dc1', slot: 0 },
    { kind: 'start', version: '1.4.0', aclEnabled: true, datacenter: 'dc1', slot: 1 },
    { kind: 'crash', datacenter: 'dc1', slot: 0 },
    { kind: 'pass', ms: 3 * DAY_MS },
  ])
  expect(world.modeOf('dc1')).toBe('legacy')
  world.run([{ kind: 'pass', ms: 1 }])
  expect(world.modeOf('dc1')).toBe('enabled')
})

test('1.3.0 servers replaced one by one: the mode ends once, and only after the last', () => {
  const world = new ModeWorld().run(startAll('1.3.0'))
  const modes = SLOTS.map((slot) => {
    const place = { datacenter: 'dc1', slot } as const
    world.run([
      { kind: 'stop', ...place },
      { kind: 'pass', ms: 60_000 },
      { kind: 'start', version: '1.4.0', aclEnabled: true, ...place },
      { kind: 'pass', ms: 1_000 },
    ])
    return world.modeOf('dc1')
  })
  expect(modes).toEqual(['legacy', 'enabled'])
  expect(world.history.filter((event) => event.kind === 'ended')).toHaveLength(1)
})

test.each([
  ['stopped', 'stop', MEMBER_STOPPED_COUNTS_MS],
  ['left for good', 'leave', 0],
] as const)('an old server that %s and never returns blocks the upgrade for its bound', (_, kind, ms) => {
  const world = new ModeWorld().run([
    { kind: 'start', version: '1.3.0', aclEnabled: true, datacenter: 'dc1', slot: 0 },
    { kind: 'start', version: '1.4.0', aclEnabled: true, datacenter: 'dc1', slot: 1 },
    { kind, datacenter: 'dc1', slot: 0 },
    { kind: 'pass', ms },
  ])
  expect(world.modeOf('dc1')).toBe(ms === 0 ? 'enabled' : 'legacy')
  expect(world.run([{ kind: 'pass', ms: 1 }]).modeOf('dc1')).toBe('enabled')
})

describe('the checker catches a rule that', () => {
  const broken: readonly [string, typeof decideMode][] = [
    [
      'counts living servers alone',
      (input) => decideMode({ ...input, members: input.members.filter((m) => m.status === 'alive') }),
    ],
    [
      'ignores servers that stopped a moment ago',
      (input) => decideMode({ ...input, members: input.members.filter((m) => m.status !== 'stopped') }),
    ],
    [
      'ignores servers with ACLs off',
      (input) => decideMode({ ...input, members: input.members.filter((m) => m.mode !== 'disabled') }),
    ],
    [
      'ignores old servers',
      (input) => decideMode({ ...input, members: input.members.filter((m) => m.mode !== 'unknown') }),
    ],
    [
      'ends when most servers are ready',
      (input) => {
        const own = input.members.filter((m) => m.datacenter === input.datacenter && isCounted(m))
        const ready = own.filter((m) => m.mode === 'legacy' || m.mode === 'enabled')
        return ready.length * 2 > own.length ? { next: 'enabled', waitsFor: [] } : decideMode(input)
      },
    ],
    [
      'does not wait for the primary',
      (input) => decideMode({ ...input, primaryDatacenter: input.datacenter }),
    ],
    [
      'takes an unreachable primary for a ready one',
      (input) => decideMode({ ...input, primaryDatacenter: input.primaryMembers ? 'dc1' : input.datacenter }),
    ],
  ]

  test.each(broken)('%s', (_, decide) => {
    const property = fc.property(
      anySchedule,
      (steps) => checkModeHistory(new ModeWorld(decide).run(steps).history).length === 0,
    )
    expect(fc.check(property, { numRuns: 5_000 }).failed).toBe(true)
  })
})
