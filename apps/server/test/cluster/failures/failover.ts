/**
 * DUR-08: the primary database is killed, its standby promoted, and the one address that the servers know leads there.
 * The servers are not touched.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startDatabaseProxy } from '../../database-proxy.ts'
import { startPostgresPair } from '../harness/postgres-pair.ts'
import { askDatabase, startServerGroup } from '../harness/server-group.ts'
import { keepLedger, type Ledger, type LedgerResult } from './ledger.ts'

interface FailoverResult extends LedgerResult {
  /** From the kill until the standby takes writes, in milliseconds. */
  readonly promotedMs: number
  /** From there until the first write is acknowledged, in milliseconds. */
  readonly resumedMs: number
  /** Writes whose index is not above one acknowledged before they were sent. */
  readonly falls: number
  /** Highest index acknowledged before the kill, and the final index of the new primary. */
  readonly indexBefore: number
  readonly indexAfter: number
}

const WRITERS = 16
/** Acknowledged before the kill, and after the promotion, at least. */
const WRITES_MIN = 50
const BEFORE_MS = 1_000
const AFTER_MS = 1_000

/**
 * @param options.isSynchronous whether the primary waits for its standby. Where it does not, and the standby lags, the
 * ledger finds writes that are lost, as it must; the index still never falls.
 */
export async function proveFailover(options: {
  readonly seed: number
  readonly isSynchronous: boolean
}): Promise<FailoverResult> {
  const pair = await startPostgresPair(options)
  const proxy = await startDatabaseProxy(pair.primaryUrl)
  try {
    const group = await startServerGroup({ databaseUrl: proxy.url, count: 3 })
    try {
      const ledger = keepLedger({ doors: group.doors, clients: WRITERS, seed: options.seed })
      await sleep(BEFORE_MS)
      await untilAcknowledged(ledger, WRITES_MIN)
      if (!options.isSynchronous) {
        // The standby does not receive the last writes.
        await askDatabase(pair.standbyUrl, 'ALTER SYSTEM SET primary_conninfo = $$$$')
        await askDatabase(pair.standbyUrl, 'SELECT pg_reload_conf()')
        await sleep(BEFORE_MS)
      }
      const killedAt = performance.now()
      const indexBefore = ledger.indexes.highest
      await pair.killPrimary()
      proxy.cut()
      await pair.promote()
      const promotedAt = performance.now()
      const { acknowledged } = ledger.counts
      proxy.heal()
      proxy.switchTo(pair.standbyUrl)
      await untilAcknowledged(ledger, acknowledged + 1)
      const resumedMs = Math.round(performance.now() - promotedAt)
      await sleep(AFTER_MS)
      await untilAcknowledged(ledger, acknowledged + WRITES_MIN)
      await ledger.stop()
      const result = await ledger.check()
      const [row] = await askDatabase(pair.standbyUrl, 'SELECT index FROM commit_index')
      return {
        ...result,
        promotedMs: Math.round(promotedAt - killedAt),
        resumedMs,
        falls: ledger.indexes.falls,
        indexBefore,
        indexAfter: Number(row?.index),
      }
    } finally {
      await group.stop()
    }
  } finally {
    await proxy.close()
    await pair.remove()
  }
}

async function untilAcknowledged({ counts }: Ledger, count: number): Promise<void> {
  while (counts.acknowledged < count) await sleep(5)
}
