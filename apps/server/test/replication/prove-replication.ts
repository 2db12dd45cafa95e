/**
 * Three datacenters under random writes while links fail and processes die. Afterwards all have the same global records, every
 * acknowledged write is present, and no Local token has left its datacenter.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '@latchkey/testkit/random'
import { type Fault, startNemesis } from '../cluster/harness/nemesis.ts'
import { type Datacenter, differences, untilEqual } from './datacenter.ts'
import type { LinkFault } from './faulty-link.ts'
import { type Fleet, type Secondary, startFleet } from './fleet.ts'
import { Traffic } from './traffic.ts'

export interface ReplicationResult {
  readonly acknowledged: number
  /** Writes without success, by status. */
  readonly refused: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  /** Acknowledged writes missing ten seconds after the last fault, and unexpected records. */
  readonly wrong: readonly string[]
  readonly different: readonly string[]
  readonly strays: readonly string[]
  /** Answers of a secondary with an index below an earlier one, or reporting that it is paused. */
  readonly falls: readonly string[]
  /** Time from the end of the last fault until all datacenters were equal. */
  readonly equalAfterMs: number
}

/** How long after the last fault the ledger is compared and all must be equal. */
const SETTLED_MS = 10_000
/** Longest fault. */
const FAULT_MS_MAX = 3_000
/** Maximum pause before the next fault. */
const CALM_MS_MAX = 3_000

/** @param options.databaseUrls one for each datacenter, the primary's first. */
export async function proveReplication(options: {
  readonly databaseUrls: readonly string[]
  readonly seconds: number
  readonly seed: number
  readonly writers?: number
}): Promise<ReplicationResult> {
  const { databaseUrls, seconds, seed, writers = 6 } = options
  const random = new SeededRandom(seed)
  const fleet = await startFleet(databaseUrls)
  const datacenters = [fleet.primary, ...fleet.secondaries.map(({ datacenter }) => datacenter)]
  const traffic = new Traffic({ datacenters, random: new SeededRandom(seed + 1), writers, calmMsMax: 50 })
  const watch = watchIndexes(fleet.secondaries)
  try {
    for (const { datacenter } of fleet.secondaries) await untilEqual(fleet.primary, datacenter)
    await traffic.start()
    const nemesis = startNemesis({ faults: faultsOf(fleet, random), random, everyMs: CALM_MS_MAX })
    await sleep(seconds * 1_000)
    await nemesis.stop()
    const healedAt = performance.now()
    await traffic.stop()
    for (const { datacenter } of fleet.secondaries) await untilEqual(fleet.primary, datacenter)
    const equalAfterMs = Math.round(performance.now() - healedAt)
    await sleep(Math.max(0, SETTLED_MS - equalAfterMs))
    const different = await Promise.all(
      fleet.secondaries.map(({ datacenter }) => differences(fleet.primary, datacenter)),
    )
    const verdicts = Object.entries(await traffic.verify())
    return {
      acknowledged: traffic.acknowledged,
      refused: traffic.refused,
      faults: nemesis.counts,
      wrong: verdicts.flatMap(([place, verdict]) =>
        Object.entries(verdict).flatMap(([how, accessors]: [string, readonly string[]]) =>
          accessors.map((accessor) => `${place}: ${accessor} is ${how}`),
        ),
      ),
      different: different.flat(),
      strays: await traffic.strays(),
      falls: await watch.end(),
      equalAfterMs,
    }
  } finally {
    await watch.end()
    await traffic.stop()
    await fleet.close()
  }
}

export function isReplicationProven(result: ReplicationResult): boolean {
  const { acknowledged, wrong, different, strays, falls, equalAfterMs } = result
  const isClean = [wrong, different, strays, falls].every((found) => found.length === 0)
  return isClean && acknowledged > 0 && equalAfterMs <= SETTLED_MS
}

function faultsOf({ primary, secondaries }: Fleet, random: SeededRandom): Readonly<Record<string, Fault>> {
  const anyLink = () => random.pick(secondaries).link
  const during = (fault: () => LinkFault) => async () => {
    const link = anyLink()
    link.cause(fault())
    await sleep(random.below(FAULT_MS_MAX))
    link.heal()
  }
  const restart = async (datacenter: Datacenter) => {
    await datacenter.stop('SIGKILL')
    await sleep(random.below(1_000))
    await datacenter.start()
  }
  const pause = async ({ server }: Datacenter) => {
    server.process.kill('SIGSTOP')
    await sleep(random.below(FAULT_MS_MAX))
    server.process.kill('SIGCONT')
  }
  return {
    partition: during(() => ({ kind: 'refuse' })),
    hang: during(() => ({ kind: 'hang' })),
    lostAnswers: during(() => ({ kind: 'loseAnswers' })),
    cut: during(() => ({ kind: 'cut', afterBytes: random.below(4_000) })),
    truncate: during(() => ({ kind: 'truncate', afterBytes: random.below(4_000) })),
    delay: during(() => ({ kind: 'delay', ms: random.below(800) })),
    killPrimary: () => restart(primary),
    killSecondary: () => restart(random.pick(secondaries).datacenter),
    pausePrimary: () => pause(primary),
    pauseSecondary: () => pause(random.pick(secondaries).datacenter),
  }
}

/** Reads the status of secondaries continuously. */
function watchIndexes(secondaries: readonly Secondary[]) {
  const falls: string[] = []
  let isOver = false
  const watchOne = async ({ datacenter }: Secondary) => {
    let highest = 0
    while (!isOver) {
      const status = await datacenter.replication().catch(() => undefined)
      if (status !== undefined) {
        const { ReplicatedIndex: index, LastErrorMessage: message = '' } = status
        if (index < highest) falls.push(`${datacenter.name}: from ${highest} to ${index}`)
        if (message.includes('paused')) falls.push(`${datacenter.name}: ${message}`)
        highest = Math.max(highest, index)
      }
      await sleep(100)
    }
  }
  const watches = secondaries.map(watchOne)
  return {
    /** What was seen. */
    async end(): Promise<readonly string[]> {
      isOver = true
      await Promise.all(watches)
      return falls
    },
  }
}
