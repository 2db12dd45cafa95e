/** Metrics of the store: freshness, waiters, caches, commits, logins, and the upgrade (spec 9.2). */
import { NO_BATCHES } from '@latchkey/acl'
import { aclModeOf, type ChangeReader, readerLag } from '@latchkey/service'
import { Remembered } from '../remembered.ts'
import type { ServerStore } from '../server-store.ts'
import type { StoreStatus } from '../storage/open-store.ts'
import type { Merge, Metrics } from './metrics.ts'

/** Registers the metrics. Each worker reports only itself. */
export function watchStore(metrics: Metrics, store: ServerStore): void {
  watchUpgrade(metrics, store)
  watchLogins(metrics, store)
  const gauge = (name: string, help: string, read: (status: StoreStatus) => number, merge?: Merge) =>
    metrics.gauge(`latchkey_store_${name}`, help, () => read(store.status()), merge)
  const counter = (name: string, help: string, read: (status: StoreStatus) => number) =>
    metrics.counter(`latchkey_store_${name}_total`, help, () => read(store.status()))

  gauge(
    'index',
    'The commit index up to which this process has applied all changes.',
    (s) => s.appliedIndex,
    'min',
  )
  gauge('last_contact_seconds', 'Age of the data in stale reads.', (s) => s.lastContactMs / 1_000)
  gauge(
    'feed_connected',
    'Whether the change feed is connected; otherwise this process polls: 1 or 0.',
    (s) => +s.isFeedConnected,
    'min',
  )
  gauge('leader', 'Whether this process runs the single-winner jobs: 1 or 0.', (s) => +s.isLeader)
  gauge('alone', 'Whether this process is the only one on its database: 1 or 0.', (s) => +s.isAlone, 'min')
  gauge(
    'lease',
    'Whether this process has a read lease, and so answers default reads without asking the database: 1 or 0.',
    (s) => +s.hasLease,
    'min',
  )
  gauge('waiters', 'Blocking queries in progress.', (s) => s.waiters, 'sum')
  gauge(
    'clock_ahead_seconds',
    "How far the database's clock is ahead of the time by which tokens expire.",
    (s) => s.clock.aheadMs / 1_000,
  )
  counter(
    'clock_steps_refused',
    "Steps of the database's clock that were rejected.",
    (s) => s.clock.stepsRefused,
  )
  gauge('cached_tokens', 'Tokens in memory.', (s) => s.cache.tokens, 'sum')
  gauge('cached_bytes', 'Estimated memory of cached tokens.', (s) => s.cache.bytes, 'sum')
  counter('cache_hits', 'Token reads answered from memory.', (s) => s.cache.hits)
  counter('cache_misses', 'Token reads answered from the database.', (s) => s.cache.misses)
  counter('commits', 'Writes sent to the database.', (s) => s.commits.writes)
  counter('commit_groups', 'Transactions that carried those writes.', (s) => s.commits.groups)
  counter(
    'commit_conflicts',
    'Writes that conflicted with a concurrent one and were decided again.',
    (s) => s.commits.conflicts,
  )
  counter('commit_failures', 'Transactions with unknown outcome.', (s) => s.commits.failures)
  counter('feed_connections', 'Connections of the change feed since the start.', (s) => s.feed.connections)
  counter('feed_notifications', 'Commit groups announced by the change feed.', (s) => s.feed.notifications)
  counter('confirmations', 'Queries for new changes.', (s) => s.confirmations)
  counter('leased_reads', 'Default reads that a lease answered without a query.', (s) => s.leasedReads)
  counter(
    'lease_closings',
    'How often read leases had to end before a commit or a join of this process.',
    (s) => s.closings.count,
  )
  gauge(
    'lease_closing_seconds_max',
    'The longest time that a commit or a join of this process waited for the end of read leases.',
    (s) => s.closings.longestMs / 1_000,
  )
  const ofReaders = (name: string, help: string, read: (reader: ChangeReader) => number) =>
    metrics.gauges(`latchkey_change_reader_${name}`, help, ['reader'], async () =>
      (await store.changeReaders.list(store.clock.now())).map((reader) => ({
        labels: { reader: reader.name },
        value: read(reader),
      })),
    )
  ofReaders('lag_index', 'Lag of a reader in another datacenter behind the last change, in indexes.', (r) =>
    readerLag(r.index, store),
  )
  ofReaders(
    'last_contact_seconds',
    'When a reader in another datacenter last asked for changes: seconds since the epoch.',
    (r) => r.contactAt / 1_000,
  )
}

/** The upgrade. Each process reports the state of the store, so all processes of a cluster report the same. */
function watchUpgrade(metrics: Metrics, store: ServerStore): void {
  const migration = () => store.directory().system('migration')?.Value ?? NO_BATCHES
  let remaining = 0
  metrics.gauge('latchkey_acl_legacy_mode', 'Whether this datacenter is in legacy mode: 1 or 0.', () =>
    aclModeOf(store.directory()) === 'legacy' ? 1 : 0,
  )
  metrics.gauge(
    'latchkey_accessor_migration_done_tokens',
    'Legacy tokens that were given an accessor.',
    () => migration().done,
  )
  metrics.gauge(
    'latchkey_accessor_migration_remaining_tokens',
    'Legacy tokens without an accessor.',
    async () => {
      // While the database is unreachable, the other metrics must still be reported.
      remaining = await Promise.resolve(store.countTokens({ withoutAccessor: true })).catch(() => remaining)
      return remaining
    },
  )
  metrics.gauge(
    'latchkey_accessor_migration_batches',
    'Batches of the accessor migration.',
    () => migration().batches,
  )
  metrics.gauge(
    'latchkey_accessor_migration_last_batch_seconds',
    'When the last batch was committed: seconds since the epoch, 0 before the first.',
    () => (migration().lastBatchAt ?? 0) / 1_000,
  )
}

/** Maximum age of a count, in milliseconds. A count reads all login tokens. */
const COUNT_AGE_MS_MAX = 5_000
/** Maximum number of auth methods with their own series. */
const METHODS_MAX = 1_000

function watchLogins(metrics: Metrics, store: ServerStore): void {
  let counts: ReadonlyMap<number, number> = new Map()
  const counted = new Remembered(async () => {
    // While the database is unreachable, the other metrics must still be reported.
    counts = await store.countLogins().catch(() => counts)
  }, COUNT_AGE_MS_MAX)
  metrics.gauges(
    'latchkey_login_tokens',
    'Tokens that logins at an auth method have made and that are still stored.',
    ['method', 'namespace'],
    async () => {
      const methods = [...store.directory().authMethods()].slice(0, METHODS_MAX)
      if (methods.length > 0) await counted.get()
      return methods.map(({ Name, Namespace, Generation }) => ({
        labels: { method: Name, namespace: Namespace },
        value: counts.get(Generation) ?? 0,
      }))
    },
  )
}
