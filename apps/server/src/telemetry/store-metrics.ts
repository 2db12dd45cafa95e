/** Metrics of the store: freshness, waiters, caches and commits. */
import { type ChangeReader, readerLag } from '@latchkey/service'
import type { PostgresStore, StoreStatus } from '../storage/open-store.ts'
import type { Merge, Metrics } from './metrics.ts'

/** Registers the metrics. Each worker reports only itself. */
export function watchStore(
  metrics: Metrics,
  store: Pick<PostgresStore, 'status' | 'changeReaders' | 'tableIndex' | 'clock'>,
): void {
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
