/** Locks on real processes, while these are killed and paused, change feeds are cut, and the database clock steps. */
import { SeededRandom } from '@latchkey/testkit/random'
import { openSkewedClock } from '../../skewed-clock.ts'
import { serverFaults, startNemesis } from '../harness/nemesis.ts'
import { startServerGroup } from '../harness/server-group.ts'
import { type TortureResult, tortureLocks } from './lock-torture.ts'

/** Maximum step of the clock in either direction; allowed because sessions that clients hold have no TTL. */
const STEP_MS_MAX = 2_000
const FAULT_EVERY_MS = 4_000

export async function proveLocks(options: {
  readonly databaseUrl: string
  readonly seed: number
  readonly clients: number
  readonly forMs: number
}): Promise<TortureResult & { readonly faults: Readonly<Record<string, number>> }> {
  const { databaseUrl, seed, clients, forMs } = options
  const group = await startServerGroup({ databaseUrl, count: 2 })
  const clock = await openSkewedClock(databaseUrl)
  try {
    const random = new SeededRandom(seed + 1)
    const step = async () => {
      await clock.skew(random.below(2 * STEP_MS_MAX) - STEP_MS_MAX)
    }
    const faults = { ...serverFaults({ group, databaseUrl, random }), step }
    const nemesis = startNemesis({ faults, random, everyMs: FAULT_EVERY_MS })
    try {
      const { gateways } = group
      const result = await tortureLocks({ gateways, seed, clients, forMs, abandonedTtl: '10s' })
      return { ...result, faults: nemesis.counts }
    } finally {
      await nemesis.stop()
    }
  } finally {
    await clock.close()
    await group.stop()
  }
}
