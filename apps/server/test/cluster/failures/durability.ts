/** DUR-01 to DUR-04: acknowledged writes survive kills and pauses of server processes and of the database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandom } from '@latchkey/testkit/random'
import { type Fault, serverFaults, startNemesis } from '../harness/nemesis.ts'
import type { OwnDatabase } from '../harness/own-database.ts'
import { startServerGroup } from '../harness/server-group.ts'
import { keepLedger, type LedgerResult } from './ledger.ts'

interface DurabilityResult extends LedgerResult {
  readonly faults: Readonly<Record<string, number>>
  /** Writes whose index is not above that of a write acknowledged before they were sent. */
  readonly falls: number
  /** Time from the last fault until every process was ready again, in milliseconds. */
  readonly readyMs: number
}

export type DurabilityFault = 'kill' | 'pause' | 'cut' | 'kill-database' | 'pause-database' | 'kill-both'

const WRITERS = 16
const READY_MS_MAX = 60_000
/** Maximum pause of the database, in milliseconds: longer than any statement timeout. */
const DATABASE_PAUSE_MS_MAX = 3_000

/** Writes while the given number of faults happen. */
export async function proveDurability(options: {
  readonly database: OwnDatabase
  readonly seed: number
  readonly faults: readonly DurabilityFault[]
  readonly count: number
  readonly everyMs?: number
}): Promise<DurabilityResult> {
  const { database, seed, count } = options
  const random = new SeededRandom(seed)
  const group = await startServerGroup({ databaseUrl: database.url, count: 3 })
  const ofServers = serverFaults({ group, databaseUrl: database.url, random })
  const all: Readonly<Record<DurabilityFault, Fault>> = {
    ...ofServers,
    'kill-database': () => database.kill(),
    'pause-database': () => database.pause(random.below(DATABASE_PAUSE_MS_MAX)),
    'kill-both': async () => {
      const place = random.below(group.gateways.length)
      await Promise.all([database.kill(), group.end(place, 'SIGKILL')])
      await group.start(place)
    },
  }
  const faults = Object.fromEntries(options.faults.map((name) => [name, all[name]]))
  try {
    const ledger = keepLedger({ gateways: group.gateways, clients: WRITERS, seed })
    const nemesis = startNemesis({ faults, random, everyMs: options.everyMs ?? 1_000 })
    const total = () => Object.values(nemesis.counts).reduce((sum, n) => sum + n, 0)
    while (total() < count) await sleep(50)
    await nemesis.stop()
    const readyMs = await untilReady(group.gateways.map((_, place) => group.server(place)?.url ?? ''))
    // Some more writes, to see that everything has recovered.
    await sleep(300)
    await ledger.stop()
    const result = await ledger.check()
    return { ...result, faults: nemesis.counts, falls: ledger.indexes.falls, readyMs }
  } finally {
    await group.stop()
  }
}

async function untilReady(urls: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const ready = await Promise.all(urls.map(isReady))
    const ms = Math.round(performance.now() - startedAt)
    if (ready.every(Boolean)) return ms
    if (ms > READY_MS_MAX) throw new Error(`not all processes are ready within ${READY_MS_MAX} ms`)
    await sleep(20)
  }
}

/** Whether a load balancer would send requests to a process. */
async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined)
  return answer?.status === 200
}
