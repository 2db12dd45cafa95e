/** The state of replication here, on which decisions of an operator depend. */
import type { ReplicationFacts } from '@latchkey/acl'
import { invariant } from '@latchkey/contract'
import { secretsSeen } from '../caller/authority.ts'
import { globalManagementMissing } from '../caller/caller.ts'
import type { Context } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'

export function replicationFacts({
  datacenter,
  primaryDatacenter = datacenter,
  store,
}: Pick<ServiceOptions, 'datacenter' | 'primaryDatacenter' | 'store'>): ReplicationFacts {
  const directory = store.directory()
  const cluster = directory.system('cluster')?.Value
  invariant(cluster, 'the start writes the id of the cluster')
  return {
    datacenter,
    primaryDatacenter,
    cluster,
    replication: directory.system('replication')?.Value,
    commitIndex: store.commitIndex(),
    isBootstrapped: directory.system('bootstrap') !== undefined,
  }
}

/** Requires that the caller may write every policy, role and global token. */
export function requireManagement(call: Context): void {
  if (secretsSeen(call) !== 'all') throw globalManagementMissing(call.caller)
}
