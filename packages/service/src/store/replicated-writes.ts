/**
 * In a secondary datacenter, namespaces, policies, roles and global tokens are copies of the primary's. Only replication
 * writes them, together with its cursor. Decisions: datacenters.
 */
import { invariant } from '@latchkey/contract'
import { aclModeOf, isSecondary, type Place } from '../options.ts'
import { isReplicated } from './replicated.ts'
import type { Change, Store } from './store.ts'

/**
 * Checks the commits of a store. In legacy mode nothing is replicated, and anything may be written; when it ends, the store
 * gets the ID of a cluster.
 * @throws Error for a commit that changes copies without the cursor: the service should have forwarded the write.
 */
export function checkReplicatedWrites(
  changes: readonly Change[],
  store: Pick<Store, 'directory'>,
  place: Place,
): void {
  if (!isSecondary({ ...place, store })) return
  const directory = store.directory()
  if (aclModeOf(directory) === 'legacy' || directory.system('cluster') === undefined) return
  const isAllowed = changes.some(isCursor) || !changes.some(isOfCopy)
  invariant(isAllowed, 'only replication changes global records in a secondary datacenter')
}

function isCursor(change: Change): boolean {
  return change.table === 'system' && change.op === 'put' && change.record.Key === 'replication'
}

function isOfCopy(change: Change): boolean {
  return change.table === 'tokens' ? !change.record.Local : isReplicated(change.table)
}
