/** What is known here of replication, for the decisions of an operator. */
import type { ClusterRecord, ReplicationFacts, ReplicationRecord, SystemKey } from '@latchkey/acl'
import { invariant } from '@latchkey/contract'
import { secretsSeen } from '../caller/authority.ts'
import { globalManagementMissing } from '../caller/caller.ts'
import type { Context } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import type { Change } from '../store/store.ts'

export function replicationFacts({
  datacenter,
  primaryDatacenter = datacenter,
  store,
}: Pick<ServiceOptions, 'datacenter' | 'primaryDatacenter' | 'store'>): ReplicationFacts {
  const directory = store.directory()
  const cluster = directory.system('cluster')?.Value as ClusterRecord | undefined
  invariant(cluster, 'the start writes the id of the cluster')
  return {
    datacenter,
    primaryDatacenter,
    cluster,
    replication: directory.system('replication')?.Value as ReplicationRecord | undefined,
    commitIndex: store.commitIndex(),
    isBootstrapped: directory.system('bootstrap') !== undefined,
  }
}

/** Requires that the caller may write every policy, role and global token. */
export function requireManagement(call: Context): void {
  if (secretsSeen(call) !== 'all') throw globalManagementMissing(call.caller)
}

/** Writes or, without a value, deletes a system record on the condition that it is as it was read. */
export function changeSystem(
  { store }: Pick<ServiceOptions, 'store'>,
  Key: SystemKey,
  Value: unknown,
): readonly Change[] {
  const stored = store.directory().system(Key)
  const expect = stored?.ModifyIndex ?? 0
  if (Value !== undefined) {
    return [{ table: 'system', op: 'put', record: { Key, Value, CreateIndex: 0, ModifyIndex: 0 }, expect }]
  }
  return stored ? [{ table: 'system', op: 'delete', record: stored, expect }] : []
}
