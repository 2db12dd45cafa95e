/**
 * DUR-08: kills the primary database, promotes its standby, and leads the one address that the servers know there. The
 * servers are not touched.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Token } from '@latchkey/contract'
import { startDatabaseProxy } from '../../database-proxy.ts'
import { type Gateway, jsonOf, type Request } from '../harness/gateway.ts'
import { type LeaseCounts, openLeases } from '../harness/leases.ts'
import { startPostgresPair } from '../harness/postgres-pair.ts'
import { askDatabase, MANAGEMENT, startServerGroup } from '../harness/server-group.ts'
import { keepLedger, type Ledger, type LedgerResult } from './ledger.ts'

interface FailoverResult extends LedgerResult {
  /** From the kill until the standby accepts writes, in milliseconds. */
  readonly promotedMs: number
  /** From there until the first write is acknowledged, in milliseconds. */
  readonly resumedMs: number
  /** Writes whose index is not above that of a write acknowledged before they were sent. */
  readonly falls: number
  /** The highest index acknowledged before the kill, and the final index of the new primary. */
  readonly indexBefore: number
  readonly indexAfter: number
  /** Whether all processes held leases of the old primary when it was killed. */
  readonly leases: LeaseCounts
  /** Default reads that accepted a token after the new primary had acknowledged its deletion. */
  readonly grants: number
}

const WRITERS = 16
/** Minimum writes acknowledged before the kill, and after the promotion. */
const WRITES_MIN = 50
const BEFORE_MS = 1_000
const AFTER_MS = 1_000
const READS_AFTER_DELETE = 20

/**
 * @param options.isSynchronous whether the primary waits for its standby. If it does not, the standby lags, and the ledger
 *   must find lost writes; the index still never decreases.
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
      const ledger = keepLedger({ gateways: group.gateways, clients: WRITERS, seed: options.seed })
      await sleep(BEFORE_MS)
      await untilAcknowledged(ledger, WRITES_MIN)
      const token = jsonOf<Token>(await (group.gateways[0] as Gateway).ask(manage('PUT', '/acl/token')))
      if (!options.isSynchronous) {
        // The standby does not receive the last writes.
        await askDatabase(pair.standbyUrl, 'ALTER SYSTEM SET primary_conninfo = $$$$')
        await askDatabase(pair.standbyUrl, 'SELECT pg_reload_conf()')
        await sleep(BEFORE_MS)
      }
      const leases = { tried: 0, open: 0 }
      const resume = await ledger.rest()
      await openLeases([...group.gateways], leases)
      await Promise.all(group.gateways.map((gateway) => gateway.ask(self(token))))
      const killedAt = performance.now()
      const indexBefore = ledger.indexes.highest
      await pair.killPrimary()
      proxy.cut()
      await pair.promote()
      const promotedAt = performance.now()
      const { acknowledged } = ledger.counts
      proxy.heal()
      proxy.switchTo(pair.standbyUrl)
      const counting = countGrants(group.gateways, token)
      resume()
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
        leases,
        grants: await counting,
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

function manage(method: Request['method'], path: string): Request {
  return { method, path, token: MANAGEMENT, ...(method === 'PUT' && { body: {} }) }
}

function self({ SecretID }: Token): Request {
  return { method: 'GET', path: '/acl/token/self', token: SecretID }
}

/** Deletes a token through one process, then counts reads through all processes that still accept it. */
async function countGrants(gateways: readonly Gateway[], token: Token): Promise<number> {
  const remove = manage('DELETE', `/acl/token/${token.AccessorID}`)
  // The answer to an earlier attempt may be lost.
  while (![200, 404].includes((await (gateways[0] as Gateway).ask(remove)).status)) await sleep(5)
  let grants = 0
  for (let n = 0; n < READS_AFTER_DELETE; n += 1) {
    const replies = await Promise.all(gateways.map((gateway) => gateway.ask(self(token))))
    grants += replies.filter(({ status }) => status === 200).length
  }
  return grants
}
