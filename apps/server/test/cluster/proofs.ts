/** The long proofs, by name: what `scripts/prove.ts` runs. The tests beside them are the same at a small scale. */
import { proveCacheEquality } from './cache-equality.ts'
import { type DurabilityFault, proveDurability } from './durability.ts'
import { openEqualNodes } from './equal-nodes.ts'
import { proveFailover } from './failover.ts'
import { proveLinearizability } from './linearizability.ts'
import { serverFaults, startNemesis } from './nemesis.ts'
import { proveNewEnemy } from './new-enemy.ts'
import { type OwnDatabase, startOwnDatabase } from './own-database.ts'
import { provePausedServer } from './paused-server.ts'
import { proveRevocation } from './revocation.ts'
import { isKillProven, isRestartProven, proveRollingRestart } from './rolling-restart.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'
import { type ServerGroup, startServerGroup } from './server-group.ts'
import { measureWaiters } from './waiter-memory.ts'
import { proveWatches } from './watches.ts'

export interface Proof {
  /** Guarantees of reliability that it stands for. */
  readonly ids: readonly string[]
  /** What the count counts, and how many a full run has. */
  readonly unit: string
  readonly count: number
  readonly run: (count: number, seed: number) => Promise<ProofResult>
}

export interface ProofResult {
  readonly isProven: boolean
  readonly figures: object
}

export const PROOFS: Readonly<Record<string, Proof>> = {
  linearizability: {
    ids: ['COH-01'],
    unit: 'histories of 200 operations',
    count: 10_000,
    run: (histories, seed) =>
      withDatabase(async ({ url }) => {
        const options = { databaseUrl: url, seed, histories, faultEveryMs: 4_000 }
        const figures = await proveLinearizability(options)
        return { isProven: figures.violations.length === 0, figures }
      }),
  },
  revocation: {
    ids: ['COH-02', 'COH-03'],
    unit: 'revocations',
    count: 10_000,
    run: (tries, seed) =>
      withServers(seed, async ({ doors }, random) => {
        const { grants, untruths, staleMs, ...rest } = await proveRevocation({ doors, random, tries })
        const isProven = grants.length === 0 && untruths.length === 0
        return { isProven, figures: { ...rest, grants, untruths, staleMs: percentiles(staleMs) } }
      }),
  },
  'revocation-without-feed': {
    ids: ['COH-02', 'COH-04'],
    unit: 'revocations',
    count: 1_000,
    run: (tries, seed) =>
      withServers(
        seed,
        async ({ doors }, random) => {
          const { grants, untruths, staleMs, ...rest } = await proveRevocation({ doors, random, tries })
          const isProven = grants.length === 0 && untruths.length === 0
          return { isProven, figures: { ...rest, grants, untruths, staleMs: percentiles(staleMs) } }
        },
        20,
      ),
  },
  'new-enemy': {
    ids: ['COH-10'],
    unit: 'rounds per mode',
    count: 1_000,
    run: (rounds, seed) =>
      withServers(seed, async ({ doors }, random) => {
        const prove = (mode: 'default' | 'consistent' | 'stale') =>
          proveNewEnemy({ doors, random, mode, rounds })
        const [byDefault, consistent, stale] = [
          await prove('default'),
          await prove('consistent'),
          await prove('stale'),
        ]
        const isProven = byDefault.sightings === 0 && consistent.sightings === 0 && stale.sightings > 0
        return { isProven, figures: { default: byDefault, consistent, stale } }
      }),
  },
  watches: {
    ids: ['COH-05', 'COH-06'],
    unit: 'changes under 2,000 watchers',
    count: 2_000,
    run: (changes, seed) =>
      withDatabase(async ({ url }) => {
        const figures = await proveWatches({ databaseUrl: url, seed, watchers: 2_000, changes })
        return { isProven: figures.late === 0 && figures.falls === 0 && figures.vain === 0, figures }
      }),
  },
  'waiter-memory': {
    ids: ['MEM-02'],
    unit: 'waiting clients',
    count: 10_000,
    run: (waiters) =>
      withDatabase(async ({ url }) => {
        const figures = await measureWaiters({ databaseUrl: url, waiters })
        return { isProven: figures.residentBytes <= 20 * 1_024, figures }
      }),
  },
  'cache-equality': {
    ids: ['COH-07'],
    unit: 'requests, on one database and on two',
    count: 100_000,
    run: (requests, seed) =>
      withDatabase(({ url }) =>
        withDatabase(({ url: url2 }) =>
          withDatabase(async ({ url: url3 }) => {
            const shared = await compareCaches([url, url], requests, seed)
            const alone = await compareCaches([url2, url3], requests, seed)
            const isProven = shared.differences.length === 0 && alone.differences.length === 0
            return { isProven, figures: { shared, alone } }
          }),
        ),
      ),
  },
  'durability-servers': durability(['DUR-01'], ['kill'], 200),
  'durability-database': durability(['DUR-02'], ['kill-database'], 100),
  'durability-both': durability(['DUR-03'], ['kill-both'], 50),
  'durability-pauses': durability(['DUR-04'], ['pause', 'pause-database'], 100),
  'paused-server': {
    ids: ['DUR-04'],
    unit: 'pauses of 1 to 8 seconds',
    count: 12,
    run: (count, seed) =>
      withDatabase(async ({ url }) => {
        const random = seededRandom(seed)
        const pausesMs = Array.from({ length: count }, () => 1_000 + random.below(7_000))
        const figures = await provePausedServer({ databaseUrl: url, pausesMs })
        return { isProven: figures.outdated.length === 0, figures }
      }),
  },
  'rolling-restart': {
    ids: ['DUR-09'],
    unit: 'restarts behind HAProxy',
    count: 15,
    run: (restarts) =>
      withDatabase(async ({ url }) => {
        const figures = await proveRollingRestart({ databaseUrl: url, restarts, signal: 'SIGTERM' })
        return { isProven: isRestartProven(figures), figures }
      }),
  },
  'balanced-kill': {
    ids: ['DUR-01', 'DUR-09'],
    unit: 'kills behind HAProxy',
    count: 15,
    run: (restarts) =>
      withDatabase(async ({ url }) => {
        const figures = await proveRollingRestart({ databaseUrl: url, restarts, signal: 'SIGKILL' })
        return { isProven: isKillProven(figures), figures }
      }),
  },
  failover: {
    ids: ['DUR-08', 'COH-05'],
    unit: 'failovers to a synchronous standby',
    count: 10,
    run: async (count, seed) => {
      const results = []
      for (let n = 0; n < count; n += 1)
        results.push(await proveFailover({ seed: seed + n, isSynchronous: true }))
      const isProven = results.every(({ wrong, falls }) => wrong.length === 0 && falls === 0)
      return { isProven, figures: { results } }
    },
  },
  'failover-asynchronous': {
    ids: ['DUR-08', 'COH-05'],
    unit: 'failovers to a standby that lacks the last writes',
    count: 3,
    run: async (count, seed) => {
      const results = []
      for (let n = 0; n < count; n += 1) {
        const { wrong, ...rest } = await proveFailover({ seed: seed + n, isSynchronous: false })
        results.push({ ...rest, lost: wrong.length })
      }
      // What is lost is what the documentation says; the index must not fall all the same.
      const isProven = results.every(({ falls, lost }) => falls === 0 && lost > 0)
      return { isProven, figures: { results } }
    },
  },
}

function durability(ids: readonly string[], faults: readonly DurabilityFault[], count: number): Proof {
  return {
    ids,
    unit: 'faults',
    count,
    run: (faultCount, seed) =>
      withDatabase(async (database) => {
        const figures = await proveDurability({ database, seed, faults, count: faultCount, everyMs: 600 })
        return { isProven: figures.wrong.length === 0 && figures.falls === 0, figures }
      }),
  }
}

async function withDatabase<T>(work: (database: OwnDatabase) => Promise<T>): Promise<T> {
  const database = await startOwnDatabase()
  try {
    return await work(database)
  } finally {
    await database.remove()
  }
}

/** Three processes, whose change feeds are cut now and then. */
function withServers(
  seed: number,
  work: (group: ServerGroup, random: SeededRandom) => Promise<ProofResult>,
  cutEveryMs = 2_000,
): Promise<ProofResult> {
  return withDatabase(async ({ url: databaseUrl }) => {
    const random = seededRandom(seed)
    const group = await startServerGroup({ databaseUrl, count: 3 })
    const faults = { cut: serverFaults({ group, databaseUrl, random }).cut }
    const nemesis = startNemesis({ faults, random: seededRandom(seed + 1), everyMs: cutEveryMs })
    try {
      const { isProven, figures } = await work(group, random)
      return { isProven, figures: { ...figures, faults: nemesis.counts } }
    } finally {
      await nemesis.stop()
      await group.stop()
    }
  })
}

async function compareCaches(urls: readonly [string, string], requests: number, seed: number) {
  const nodes = await openEqualNodes(urls, seed)
  try {
    const isShared = urls[0] === urls[1]
    return await proveCacheEquality({ ...nodes, isShared, random: seededRandom(seed), requests })
  } finally {
    await Promise.all([nodes.cached.close(), nodes.uncached.close()])
  }
}

function percentiles(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (part: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
