/** The long proofs about several datacenters. The tests beside this file run them at a small scale. */
import { SeededRandom } from '@latchkey/testkit/random'
import { pino } from 'pino'
import { migrate } from '../../src/database/schema/migrate.ts'
import { startOwnDatabase } from '../cluster/harness/own-database.ts'
import type { Proof, ProofResult } from '../cluster/harness/proof.ts'
import { createDatabase, urlOfDatabase } from '../database.ts'
import { startDatabaseProxy } from '../database-proxy.ts'
import { startFleet } from './fleet.ts'
import { proveCopy } from './prove-copy.ts'
import { proveCuts, proveKills } from './prove-cuts.ts'
import { isReplicationProven, proveReplication } from './prove-replication.ts'
import { isStormBorne, proveStorm } from './prove-storm.ts'

/** Maximum time for a secondary to copy a million tokens. */
const COPY_BYTES_MAX = 300 * 1_024 ** 2
const COPY_SECONDS_MAX = 600

export const REPLICATION_PROOFS: Readonly<Record<string, Proof>> = {
  replication: {
    ids: ['REP-01', 'REP-02', 'REP-05', 'REP-24'],
    unit: 'seconds of writes on three datacenters under failing links, kills and pauses',
    count: 1_800,
    small: 20,
    run: (seconds, seed) =>
      withDatabases(3, async (databaseUrls) => {
        const figures = await proveReplication({ databaseUrls, seconds, seed })
        return { isProven: isReplicationProven(figures), figures }
      }),
  },
  'replication-cuts': {
    ids: ['REP-04'],
    unit: 'answers that end at a random byte',
    count: 200,
    small: 10,
    run: (cuts, seed) =>
      withDatabases(2, async (databaseUrls) => {
        const { primary, secondaries, close } = await startFleet(databaseUrls)
        try {
          const [secondary] = secondaries
          if (secondary === undefined) throw new TypeError('there is a secondary')
          const figures = await proveCuts({ primary, secondary, random: new SeededRandom(seed), cuts })
          return { isProven: figures.torn.length === 0, figures }
        } finally {
          await close()
        }
      }),
  },
  'replication-kills': {
    ids: ['REP-05'],
    unit: 'kills of a secondary that writes, each one piece of data later',
    count: 60,
    small: 4,
    run: (kills) =>
      withDatabases(2, async ([first = '', second = '']) => {
        const proxy = await startDatabaseProxy(second)
        const { primary, secondaries, close } = await startFleet([first, proxy.url])
        try {
          const [secondary] = secondaries
          if (secondary === undefined) throw new TypeError('there is a secondary')
          const pieces = Array.from({ length: kills }, (_, i) => i + 1)
          const figures = await proveKills({ primary, secondary, proxy, pieces })
          return { isProven: figures.different.length + figures.wrong.length === 0, figures }
        } finally {
          await close()
          await proxy.close()
        }
      }),
  },
  'replication-storm': {
    ids: ['REP-20'],
    unit: 'seconds of 1,500 token writes each',
    count: 60,
    small: 5,
    run: (seconds) =>
      withDatabases(2, async (databaseUrls) => {
        const figures = await proveStorm({ databaseUrls, seconds, perSecond: 1_500 })
        return { isProven: isStormBorne(figures), figures }
      }),
  },
  'replication-copy': {
    ids: ['REP-21'],
    unit: 'tokens of the primary, copied by an empty secondary that is killed twice on its way',
    count: 1_000_000,
    small: 20_000,
    run: (tokens) =>
      withDatabases(2, async ([first = '', second = '']) => {
        const figures = await proveCopy({ databaseUrls: [first, second], tokens, kills: 2 })
        const { isEqual, early, seconds, residentBytesMax } = figures
        const isWhole = isEqual && Object.keys(early).every((status) => status === '503')
        const isBounded = residentBytesMax < COPY_BYTES_MAX && seconds < COPY_SECONDS_MAX
        return { isProven: isWhole && isBounded, figures }
      }),
  },
}

/** Several migrated databases on one PostgreSQL. */
async function withDatabases(
  count: number,
  work: (urls: readonly string[]) => Promise<ProofResult>,
): Promise<ProofResult> {
  const log = pino({ level: 'silent' })
  const postgres = await startOwnDatabase()
  try {
    const urls: string[] = []
    for (let i = 1; i <= count; i += 1) {
      await createDatabase(postgres.url, `dc${i}`)
      const url = urlOfDatabase(postgres.url, `dc${i}`)
      await migrate({ url, log })
      urls.push(url)
    }
    return await work(urls)
  } finally {
    await postgres.remove()
  }
}
