/** Metrics of the upgrade: the ACL mode and the accessor migration. Spec 9.2. */
import { NO_BATCHES } from '@latchkey/acl'
import { aclModeOf } from '@latchkey/service'
import type { ServerStore } from '../server-store.ts'
import type { Metrics } from './metrics.ts'

/**
 * Registers the metrics. Each process reports the state of the store, so all processes of a cluster report the same.
 */
export function watchUpgrade(metrics: Metrics, store: ServerStore): void {
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
