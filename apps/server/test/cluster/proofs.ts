/** The long proofs by name, for `scripts/prove.ts`. The tests beside them run the same at a small scale. */

import { SeededRandom } from '@latchkey/testkit/random'
import { proveAttacks } from '../attacks/prove-attacks.ts'
import { REPLICATION_PROOFS } from '../replication/proofs.ts'
import { judgeSoak } from '../soak/judge-soak.ts'
import { soak } from '../soak/soak.ts'
import { killStorm, type StormResult } from '../storm/kill-storm.ts'
import { mountSmallDisk, whyNoSmallDisk } from '../storm/small-disk.ts'
import { makeAlikeSecrets, measureSecretTiming } from '../timing/secret-timing.ts'
import { type DurabilityFault, proveDurability } from './failures/durability.ts'
import { proveFailover } from './failures/failover.ts'
import { whyNoMachines } from './failures/high-availability/machines.ts'
import { isHighAvailabilityProven, proveHighAvailability } from './failures/high-availability/prove.ts'
import { isKillProven, isRestartProven, proveRollingRestart } from './failures/rolling-restart.ts'
import { isUpgradeProven, proveUpgrade } from './failures/upgrade/prove.ts'
import { findBalancer } from './harness/balancer.ts'
import { openEqualNodes } from './harness/equal-nodes.ts'
import type { Gateway } from './harness/gateway.ts'
import { serverFaults, startNemesis } from './harness/nemesis.ts'
import { type OwnDatabase, startOwnDatabase } from './harness/own-database.ts'
import type { Proof, ProofResult } from './harness/proof.ts'
import { type ServerGroup, startServerGroup } from './harness/server-group.ts'
import { proveLinearizability } from './history/linearizability.ts'
import { proveLocks } from './locks/prove-locks.ts'
import { proveCacheEquality } from './reads/cache-equality.ts'
import { proveNewEnemy } from './reads/new-enemy.ts'
import { proveRevocation } from './reads/revocation.ts'
import { measureWaiters } from './watches/waiter-memory.ts'
import { areWatchesProven, proveWatches } from './watches/watches.ts'

export const PROOFS: Readonly<Record<string, Proof>> = {
  linearizability: {
    ids: ['COH-01'],
    unit: 'histories of 200 operations',
    count: 10_000,
    small: 12,
    run: (histories, seed) =>
      withDatabase(async ({ url: databaseUrl, kill: killDatabase }) => {
        const faults = { operationsPerFault: 600, pauseMsMax: 4_000, killDatabase }
        const figures = await proveLinearizability({ databaseUrl, seed, histories, ...faults })
        const { violations, leases, foundAfter } = figures
        const isProven = violations.length === 0 && leases.open > 0 && foundAfter !== undefined
        return { isProven, figures }
      }),
  },
  revocation: {
    ids: ['COH-02', 'COH-03'],
    unit: 'revocations',
    count: 10_000,
    small: 500,
    run: (tries, seed) =>
      withServers(seed, async ({ gateways }, random) => {
        const { grants, untruths, staleMs, ...rest } = await proveRevocation({ gateways, random, tries })
        const isProven = grants.length === 0 && untruths.length === 0 && rest.leases.open > 0
        return { isProven, figures: { ...rest, grants, untruths, staleMs: percentiles(staleMs) } }
      }),
  },
  'revocation-without-feed': {
    ids: ['COH-02', 'COH-04'],
    unit: 'revocations',
    count: 1_000,
    small: 200,
    run: (tries, seed) =>
      withServers(
        seed,
        async ({ gateways }, random) => {
          const { grants, untruths, staleMs, ...rest } = await proveRevocation({ gateways, random, tries })
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
    small: 20,
    run: (rounds, seed) =>
      withServers(seed, async ({ gateways }, random) => {
        const prove = (mode: 'default' | 'consistent' | 'stale') =>
          proveNewEnemy({ gateways, random, mode, rounds })
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
    unit: 'changes, under a watcher for every 20 of them, on three processes',
    count: 100_000,
    small: 1_000,
    run: (changes, seed) => watches(changes, seed, 3),
  },
  'watches-alone': {
    ids: ['COH-06'],
    unit: 'changes, under a watcher for every 20 of them, on one process',
    count: 20_000,
    small: 1_000,
    run: (changes, seed) => watches(changes, seed, 1),
  },
  'waiter-memory': {
    ids: ['MEM-02'],
    unit: 'waiting clients',
    count: 10_000,
    small: 1_000,
    run: (waiters) =>
      withDatabase(async ({ url }) => {
        const figures = await measureWaiters({ databaseUrl: url, waiters })
        return { isProven: figures.residentBytes <= 20 * 1_024, figures }
      }),
  },
  'secret-timing': {
    ids: ['TIM-01'],
    unit: 'rounds of five secrets that were never issued',
    count: 200_000,
    small: 500,
    run: (rounds, seed) =>
      withDatabase(async ({ url: databaseUrl }) => {
        const group = await startServerGroup({ databaseUrl, count: 1 })
        try {
          const { ask } = group.gateways[0] as Gateway
          const secrets = await makeAlikeSecrets(ask, 1_000)
          const figures = await measureSecretTiming({ ask, random: new SeededRandom(seed), rounds, secrets })
          return { isProven: figures.telling.length === 0, figures }
        } finally {
          await group.stop()
        }
      }),
  },
  attacks: {
    ids: ['DOS-02', 'DOS-04', 'DOS-05'],
    unit: 'seconds of each attack, on both editions, old versions and two processes',
    count: 10,
    small: 1,
    run: async (seconds) => {
      const results = await proveAttacks(seconds * 1_000)
      return { isProven: results.every(({ isBorne }) => isBorne), figures: { results } }
    },
  },
  soak: {
    ids: ['LOAD-03'],
    unit: 'minutes under 60 % of what one process can bear',
    count: 480,
    small: 1,
    run: (minutes, seed) =>
      withDatabase(async ({ url: databaseUrl }) => {
        const figures = await soak({ databaseUrl, minutes, random: new SeededRandom(seed) })
        const verdict = judgeSoak(figures)
        return { isProven: verdict.findings.length === 0, figures: { ...figures, ...verdict } }
      }),
  },
  'cache-equality': {
    ids: ['COH-07'],
    unit: 'requests, on one database and on two',
    count: 100_000,
    small: 4_000,
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
  'kill-storm': {
    ids: ['DUR-01', 'DUR-02', 'DUR-03'],
    unit: 'kills of a server, its embedded database, or both, under 50 writers',
    count: 200,
    small: 6,
    run: async (kills, seed) => {
      const figures = await killStorm({ kills, writers: 50, seed, calmMsMax: 1_500 })
      return { isProven: isStormProven(figures), figures }
    },
  },
  disk: {
    ids: ['DUR-07'],
    unit: 'faults: a full disk, a frozen one, and a kill after each',
    count: 60,
    small: 4,
    whyNot: whyNoSmallDisk,
    run: async (kills, seed) => {
      const disk = mountSmallDisk()
      try {
        const victims = ['both', 'full-disk', 'both', 'frozen-disk'] as const
        const figures = await killStorm({ kills, writers: 20, seed, calmMsMax: 1_000, victims, disk })
        const { refusedWrites, staleReads } = figures
        const isRefused = Object.keys(refusedWrites).join() === '503'
        const isRead = Object.keys(staleReads).join() === '200'
        return { isProven: isStormProven(figures) && isRefused && isRead, figures }
      } finally {
        disk.unmount()
      }
    },
  },
  'rolling-restart': {
    ids: ['DUR-09'],
    unit: 'restarts behind HAProxy',
    count: 15,
    small: 3,
    whyNot: whyNoBalancer,
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
    small: 2,
    whyNot: whyNoBalancer,
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
    small: 1,
    run: async (count, seed) => {
      const results = []
      for (let n = 0; n < count; n += 1)
        results.push(await proveFailover({ seed: seed + n, isSynchronous: true }))
      const isProven = results.every(
        ({ wrong, falls, grants, leases }) =>
          wrong.length === 0 && falls === 0 && grants === 0 && leases.open > 0,
      )
      return { isProven, figures: { results } }
    },
  },
  'failover-asynchronous': {
    ids: ['DUR-08', 'COH-05'],
    unit: 'failovers to a standby that lacks the last writes',
    count: 3,
    small: 1,
    run: async (count, seed) => {
      const results = []
      for (let n = 0; n < count; n += 1) {
        const { wrong, ...rest } = await proveFailover({ seed: seed + n, isSynchronous: false })
        results.push({ ...rest, lost: wrong.length })
      }
      // The documentation admits this loss; even so, the index must not decrease.
      const isProven = results.every(
        ({ falls, lost, grants, leases }) => falls === 0 && lost > 0 && grants === 0 && leases.open > 0,
      )
      return { isProven, figures: { results } }
    },
  },
  locks: {
    ids: ['COH-11'],
    unit: 'seconds under 50 clients',
    count: 600,
    small: 10,
    run: (seconds, seed) =>
      withDatabase(async ({ url: databaseUrl }) => {
        const figures = await proveLocks({ databaseUrl, seed, clients: 50, forMs: seconds * 1_000 })
        return { isProven: figures.problems.length === 0 && figures.holds > 0, figures }
      }),
  },
  upgrade: {
    ids: ['UPG-01'],
    unit: 'upgrade to two later versions and back, under writes',
    count: 1,
    small: 1,
    run: async (_, seed) => {
      const figures = await proveUpgrade(seed)
      return { isProven: isUpgradeProven(figures), figures }
    },
  },
  'high-availability': {
    ids: ['DUR-12'],
    unit: 'failures of the primary, of its network and of a server each, with Patroni and etcd',
    count: 5,
    small: 1,
    whyNot: whyNoMachines,
    run: async (rounds, seed) => {
      const figures = await proveHighAvailability({ seed, rounds })
      return { isProven: isHighAvailabilityProven(figures), figures }
    },
  },
  ...REPLICATION_PROOFS,
}

function whyNoBalancer(): string | undefined {
  return findBalancer() === undefined ? 'there is no haproxy; install it: apt-get install haproxy' : undefined
}

function isStormProven({ wrong, falls, acknowledged }: StormResult): boolean {
  return wrong.length + falls === 0 && acknowledged > 0
}

function watches(changes: number, seed: number, servers: number): Promise<ProofResult> {
  return withDatabase(async ({ url: databaseUrl }) => {
    const watchers = Math.max(200, Math.ceil(changes / 20))
    const load = { watchers, changes, changesPerFault: 250 }
    const figures = await proveWatches({ databaseUrl, seed, servers, ...load })
    return { isProven: areWatchesProven(figures), figures }
  })
}

function durability(ids: readonly string[], faults: readonly DurabilityFault[], count: number): Proof {
  return {
    ids,
    unit: 'faults',
    count,
    small: 5,
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

/** Three processes whose change feeds are cut at random. */
function withServers(
  seed: number,
  work: (group: ServerGroup, random: SeededRandom) => Promise<ProofResult>,
  cutEveryMs = 2_000,
): Promise<ProofResult> {
  return withDatabase(async ({ url: databaseUrl }) => {
    const random = new SeededRandom(seed)
    const group = await startServerGroup({ databaseUrl, count: 3 })
    const faults = { cut: serverFaults({ group, databaseUrl, random }).cut }
    const nemesis = startNemesis({ faults, random: new SeededRandom(seed + 1), everyMs: cutEveryMs })
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
    return await proveCacheEquality({ ...nodes, isShared, random: new SeededRandom(seed), requests })
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
