/** How far this datacenter is behind its primary. Decisions: writes in a secondary. */
import type { Directory, ReplicationRecord } from '@latchkey/acl'
import type { ServiceOptions } from '../options.ts'

/** How long a write waits until its record can be read here. */
const REPLICATION_MS_MAX = 2_000

/**
 * Waits until this datacenter has replicated up to an index of the primary, or for {@link REPLICATION_MS_MAX}. Does not wait
 * if replication is not running.
 *
 * @returns how many indexes are missing; 0 for none.
 */
export async function lagBehind(
  index: number,
  { store, clock }: Pick<ServiceOptions, 'store' | 'clock'>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const deadline = clock.now() + REPLICATION_MS_MAX
  for (;;) {
    // Read before the record, so that no change to it is missed.
    const seen = store.tableIndex('system')
    const record = recordOf(store.directory())
    const lag = index - (record?.index ?? 0)
    const leftMs = deadline - clock.now()
    if (lag <= 0 || !record || leftMs <= 0 || signal?.aborted) return Math.max(0, lag)
    await store.wait('system', seen, leftMs, signal)
  }
}

function recordOf(directory: Directory): ReplicationRecord | undefined {
  return directory.system('replication')?.Value
}
