/** REP-21: an empty secondary copies a large primary, and serves nothing until the copy is complete. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { parseEncryptionKeys } from '../../src/secrets/encryption-keys.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import { askDatabase } from '../cluster/harness/server-group.ts'
import { createReplicationToken, preparePrimary, prepareSecondary } from './fleet.ts'
import { plantTokens } from './plant-tokens.ts'

interface CopyResult {
  readonly tokens: number
  /** From the last start of the secondary until it serves the last token. */
  readonly seconds: number
  /** Peak resident memory of its process. */
  readonly residentBytesMax: number
  /** Tokens that it had stored when it was killed during the copy. */
  readonly heldAtKills: readonly number[]
  /** Statuses of a planted token before the copy was complete. */
  readonly early: Readonly<Record<string, number>>
  readonly isEqual: boolean
}

/** Content of the global tokens of a database. */
const CONTENT = `SELECT count(*)::int AS count, sum(hashtextextended(accessor_id || hash || create_time, 0))::text AS content
  FROM token WHERE NOT local`

/** @param options.databaseUrls two migrated databases. */
export async function proveCopy(options: {
  readonly databaseUrls: readonly [string, string]
  readonly tokens: number
  /** How often the secondary is killed during the copy. */
  readonly kills: number
}): Promise<CopyResult> {
  const { databaseUrls, tokens, kills } = options
  const [first, second] = databaseUrls
  const primary = await preparePrimary(first)
  const ring = createKeyRing(parseEncryptionKeys(primary.env.LATCHKEY_ENCRYPTION_KEYS ?? ''))
  const known = await plantTokens({ url: first, ring, count: tokens, log: pino({ level: 'silent' }) })
  const { datacenter, link } = await prepareSecondary(primary, { name: 'dc2', url: second })
  const early: Record<string, number> = {}
  try {
    await primary.start()
    await createReplicationToken(primary)
    const held = async () => (await askDatabase(second, 'SELECT count(*)::int AS count FROM token'))[0]?.count
    const heldAtKills: number[] = []
    for (let kill = 1; kill <= kills; kill += 1) {
      await datacenter.start()
      let count = 0
      while (count < (tokens * kill) / (kills + 2)) {
        await sleep(20)
        count = Number(await held())
      }
      await datacenter.stop('SIGKILL')
      heldAtKills.push(count)
    }
    await datacenter.start()
    const startedAt = performance.now()
    for (;;) {
      const { status } = await datacenter.call('GET', '/acl/token/self', undefined, known)
      if (status === 200) break
      early[status] = (early[status] ?? 0) + 1
      await sleep(50)
    }
    const seconds = Math.round(performance.now() - startedAt) / 1_000
    const [ours] = await askDatabase(first, CONTENT)
    const [theirs] = await askDatabase(second, CONTENT)
    const residentBytesMax = peakOf(datacenter.server.process.pid ?? 0)
    const isEqual = JSON.stringify(ours) === JSON.stringify(theirs)
    return { tokens, seconds, residentBytesMax, heldAtKills, early, isEqual }
  } finally {
    await Promise.all([primary.stop(), datacenter.stop()])
    await link.close()
  }
}

/** The peak of a process's resident memory, as recorded by Linux. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
}
