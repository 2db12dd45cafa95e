/** COH-01 on real processes: random histories while processes are killed and paused and change feeds are cut. */

import { SeededRandom } from '@latchkey/testkit/random'
import { serverFaults, startNemesis } from '../harness/nemesis.ts'
import { MANAGEMENT, startServerGroup } from '../harness/server-group.ts'
import { checkHistory } from './check-history.ts'
import { describeViolation } from './history.ts'
import { liveHistory } from './random-history.ts'

interface LinearizabilityResult {
  readonly histories: number
  readonly operations: number
  /** Operations whose outcome is unknown: a fault met them. */
  readonly unknown: number
  readonly faults: Readonly<Record<string, number>>
  /** Each as the checker describes it. */
  readonly violations: readonly string[]
}

export async function proveLinearizability(options: {
  readonly databaseUrl: string
  readonly seed: number
  readonly histories: number
  readonly operations?: number
  readonly faultEveryMs?: number
}): Promise<LinearizabilityResult> {
  const { databaseUrl, seed, faultEveryMs: everyMs = 500 } = options
  const random = new SeededRandom(seed)
  const group = await startServerGroup({ databaseUrl, count: 3 })
  try {
    const faultRandom = new SeededRandom(seed + 1)
    const faults = serverFaults({ group, databaseUrl, random: faultRandom })
    const nemesis = startNemesis({ faults, random: faultRandom, everyMs })
    const violations: string[] = []
    let operations = 0
    let unknown = 0
    try {
      for (let n = 0; n < options.histories; n += 1) {
        const history = await liveHistory({
          doors: group.doors,
          token: MANAGEMENT,
          seed: random.below(2 ** 32),
          operations: options.operations ?? 200,
        })
        operations += history.operations.length
        unknown += history.operations.filter(({ outcome }) => outcome.kind === 'unknown').length
        const violation = checkHistory(history)
        if (violation) violations.push(describeViolation(violation, history.seed))
      }
    } finally {
      await nemesis.stop()
    }
    return { histories: options.histories, operations, unknown, faults: nemesis.counts, violations }
  } finally {
    await group.stop()
  }
}
