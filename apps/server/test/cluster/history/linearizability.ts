/**
 * COH-01 on real processes: random histories while processes are killed and paused, change feeds are cut, and the database
 * is killed. Histories begin while leases are held, unless the faults prevent that.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '@latchkey/testkit/random'
import { type LeaseCounts, openLeases } from '../harness/leases.ts'
import { type Fault, faultsOnDemand, serverFaults } from '../harness/nemesis.ts'
import { askDatabase, MANAGEMENT, startServerGroup } from '../harness/server-group.ts'
import { checkHistory } from './check-history.ts'
import { describeViolation } from './history.ts'
import { liveHistory } from './random-history.ts'
import { COMMIT_WITHOUT_WAITING } from './seeded-bugs.ts'

interface LinearizabilityResult {
  readonly histories: number
  readonly operations: number
  /** Operations with an unknown outcome, because of a fault. */
  readonly unknown: number
  readonly faults: Readonly<Record<string, number>>
  /** Violations, as the checker describes them. */
  readonly violations: readonly string[]
  readonly leases: LeaseCounts
  /** After how many histories commits that do not wait for the end of leases were detected; undefined if never. */
  readonly foundAfter: number | undefined
}

/**
 * With and without faults: operations between two waits for leases, and how long each wait may take, in milliseconds. A
 * fault may prevent leases.
 */
const CALM = { faults: { every: 100, msMax: 500 }, none: { every: 20, msMax: 20_000 } }
type Calm = (typeof CALM)['none']
/** Maximum delay of a fault after a wait for leases, in milliseconds. */
const FAULT_DELAY_MS_MAX = 100
/** One in this many histories runs before the faults begin. */
const CALM_PART = 4
/** Maximum histories to find the seeded bug. */
const HISTORIES_MAX = 40

/** @param options.killDatabase adds a fault. */
export async function proveLinearizability(options: {
  readonly databaseUrl: string
  readonly seed: number
  readonly histories: number
  readonly operations?: number
  /** Operations per fault, as a multiple of the operations between two waits for leases. */
  readonly operationsPerFault: number
  readonly pauseMsMax?: number
  readonly killDatabase?: Fault
}): Promise<LinearizabilityResult> {
  const { databaseUrl, seed, operationsPerFault, pauseMsMax, killDatabase } = options
  const random = new SeededRandom(seed)
  const group = await startServerGroup({ databaseUrl, count: 3 })
  const leases = { tried: 0, open: 0 }
  let operations = 0
  let unknown = 0
  const look = async ({ every, msMax }: Calm, disturb = () => {}): Promise<string | undefined> => {
    const history = await liveHistory({
      gateways: group.gateways,
      token: MANAGEMENT,
      seed: random.below(2 ** 32),
      operations: options.operations ?? 200,
      calm: async () => {
        await openLeases(group.gateways, leases, msMax)
        disturb()
      },
      calmEvery: every,
    })
    operations += history.operations.length
    unknown += history.operations.filter(({ outcome }) => outcome.kind === 'unknown').length
    const violation = checkHistory(history)
    return violation && describeViolation(violation, history.seed)
  }
  try {
    const faultRandom = new SeededRandom(seed + 1)
    const faults = {
      ...serverFaults({ group, databaseUrl, random: faultRandom, pauseMsMax }),
      ...(killDatabase && { killDatabase }),
    }
    const violations: string[] = []
    const nemesis = faultsOnDemand({ faults, random: faultRandom })
    let calms = 0
    let striking: Promise<unknown> = Promise.resolve()
    const disturb = () => {
      if ((calms * CALM.faults.every) % operationsPerFault === 0) {
        const strike = sleep(faultRandom.below(FAULT_DELAY_MS_MAX)).then(nemesis.strike)
        striking = Promise.all([striking, strike])
        // A failure is reported at the end of the history; until then it must not crash the process.
        striking.catch(() => {})
      }
      calms += 1
    }
    const withoutFaults = Math.ceil(options.histories / CALM_PART)
    for (let n = 0; n < options.histories; n += 1) {
      const isCalm = n < withoutFaults
      const looking = isCalm ? look(CALM.none) : look(CALM.faults, disturb)
      const violation = await looking.finally(() => striking)
      if (violation) violations.push(violation)
    }
    const figures = { histories: options.histories, operations, unknown, leases: { ...leases } }
    await askDatabase(databaseUrl, COMMIT_WITHOUT_WAITING)
    let foundAfter: number | undefined
    for (let n = 1; n <= HISTORIES_MAX && foundAfter === undefined; n += 1) {
      if (await look(CALM.none)) foundAfter = n
    }
    return { ...figures, faults: nemesis.counts, violations, foundAfter }
  } finally {
    await group.stop()
  }
}
