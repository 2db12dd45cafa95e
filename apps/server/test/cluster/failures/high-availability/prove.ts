/**
 * DUR-12: three servers on three database machines, each of which fails in turn: no acknowledged write is lost, no default
 * read is older than an acknowledged write, and no index decreases.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '@latchkey/testkit/random'
import { pino } from 'pino'
import { migrate } from '../../../../src/database/schema/migrate.ts'
import { startServerGroup } from '../../harness/server-group.ts'
import { keepLedger, type LedgerResult } from '../ledger.ts'
import { type FreshReads, watchFreshness } from './fresh-reads.ts'
import { startDatabaseMachines } from './machines.ts'

interface HighAvailabilityResult extends LedgerResult {
  /** For each fault in order: the longest time without an acknowledged write, in milliseconds. */
  readonly withoutWritesMs: readonly { readonly fault: Fault; readonly ms: number }[]
  readonly reads: number
  /** Default reads that were older than an acknowledged write. */
  readonly stale: number
  /** Indexes below an earlier one. */
  readonly indexFalls: number
}

type Fault = 'none' | 'primary killed' | 'primary cut off' | 'server killed'

const WRITERS = 8
const QUIET_MS = 5_000
/** Longer than the TTL of the leader key. */
const CUT_MS = 40_000
/** A failover takes the TTL of the leader key, and a little more. */
const RESUMED_MS_MAX = 120_000

export async function proveHighAvailability(options: {
  readonly seed: number
  /** How often each machine fails. */
  readonly rounds: number
}): Promise<HighAvailabilityResult> {
  const { seed, rounds } = options
  const random = new SeededRandom(seed)
  const machines = await startDatabaseMachines()
  try {
    await migrate({ url: machines.url, log: pino({ level: 'silent' }) })
    const group = await startServerGroup({ databaseUrl: machines.url, count: 3 })
    try {
      const ledger = keepLedger({ gateways: group.gateways, clients: WRITERS, seed })
      const fresh = await watchFreshness(group.gateways, random)
      const withoutWritesMs: { fault: Fault; ms: number }[] = []
      const during = async (fault: Fault, work: () => Promise<void>) => {
        await machines.untilWhole()
        fresh.takeGapMs()
        await work()
        await untilWriting(fresh)
        withoutWritesMs.push({ fault, ms: fresh.takeGapMs() })
        process.stderr.write(`${fault}: ${withoutWritesMs.at(-1)?.ms} ms without writes\n`)
      }
      await during('none', () => sleep(QUIET_MS))
      for (let round = 0; round < rounds; round += 1) {
        await during('primary killed', async () => {
          const place = await primaryOf(machines)
          await machines.kill(place)
          await untilOther(machines, place)
          machines.restart(place)
        })
        await during('primary cut off', async () => {
          const place = await primaryOf(machines)
          const heal = machines.freeze(place)
          await Promise.all([untilOther(machines, place), sleep(CUT_MS)])
          heal()
          await sleep(QUIET_MS)
        })
        await during('server killed', async () => {
          const place = random.below(3)
          await group.end(place, 'SIGKILL')
          await sleep(QUIET_MS)
          await group.start(place)
        })
      }
      await fresh.stop()
      await ledger.stop()
      const { reads, stale, indexFalls } = fresh.counts
      return {
        ...(await ledger.check()),
        withoutWritesMs,
        reads,
        stale,
        indexFalls: indexFalls + ledger.indexes.falls,
      }
    } finally {
      await group.stop()
    }
  } finally {
    await machines.remove()
  }
}

export function isHighAvailabilityProven({
  wrong,
  stale,
  indexFalls,
  reads,
}: HighAvailabilityResult): boolean {
  return wrong.length + stale + indexFalls === 0 && reads > 0
}

type Machines = Awaited<ReturnType<typeof startDatabaseMachines>>

async function primaryOf(machines: Machines): Promise<number> {
  let place = await machines.primary()
  for (const startedAt = performance.now(); place === undefined; place = await machines.primary()) {
    if (performance.now() - startedAt > RESUMED_MS_MAX) throw new Error('no database machine is the primary')
    await sleep(250)
  }
  return place
}

async function untilOther(machines: Machines, place: number): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const found = await machines.primary()
    if (found !== undefined && found !== place) return
    if (performance.now() - startedAt > RESUMED_MS_MAX)
      throw new Error('no other database machine became the primary')
    await sleep(250)
  }
}

/** Waits for ten more acknowledged writes. */
async function untilWriting(fresh: FreshReads): Promise<void> {
  const { writes } = fresh.counts
  const startedAt = performance.now()
  while (fresh.counts.writes < writes + 10) {
    if (performance.now() - startedAt > RESUMED_MS_MAX) throw new Error('no write is acknowledged any more')
    await sleep(50)
  }
}
