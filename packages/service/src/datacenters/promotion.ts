/** Decisions of an operator about replication, and the state on which they depend. Decisions: promotion. */
import { acceptCluster, isUuid, promote, type ReplicationFacts, randomUuid } from '@latchkey/acl'
import { AclError, invariant } from '@latchkey/contract'
import { requireAll } from '../caller/authority.ts'
import { type Handler, json } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import { changeSystem } from '../store/changes.ts'
import { decideAndCommit } from '../store/commit.ts'

/**
 * Makes this secondary the primary, in one commit. The commit removes the replication record, so a replicator that has not
 * noticed can no longer write. Bootstrap is marked as done, so that nobody can take over. Decisions: promotion.
 */
export const promoteDatacenterHandler: Handler<'datacenters.promote'> = async (call) => {
  const { service, body, caller } = call
  requireAll(call)
  const { datacenter } = service
  const field = 'Datacenter'
  if (body.Datacenter === '') throw new AclError('field_required', 'Datacenter is missing', { field })
  if (body.Datacenter !== datacenter)
    throw new AclError('field_invalid', `Datacenter: this is ${datacenter}`, { field })
  const state = body.Force === true ? undefined : await service.cluster.replication()
  const answered = state?.running ? `at ${state.lastSuccess}` : undefined
  return decideAndCommit(service.store, () => {
    const facts = replicationFacts(service)
    const id = randomUuid(service.random)
    const decided = promote(facts, { answered, id, now: service.clock.now() })
    const { cluster, followed, above } = decided
    const bootstrap = facts.isBootstrapped
      ? []
      : changeSystem(service.store, 'bootstrap', { accessorId: caller.token.AccessorID })
    return {
      changes: [
        ...changeSystem(service.store, 'replication', undefined),
        ...changeSystem(service.store, 'cluster', cluster),
        ...bootstrap,
      ],
      above,
      answer: (Index) =>
        json({
          Datacenter: datacenter,
          Cluster: cluster.ID,
          Index,
          FollowedCluster: followed.cluster,
          FollowedIndex: followed.index,
          Skipped: followed.skipped.map(({ accessorId, reason }) => ({
            AccessorID: accessorId,
            Reason: reason,
          })),
        }),
    }
  })
}

/** Accepts another store as the primary's: its records replace the stored ones. Decisions: promotion. */
export const acceptClusterHandler: Handler<'datacenters.accept'> = (call) => {
  const { service, body } = call
  requireAll(call)
  const accepted = requireClusterId(body.Cluster)
  return decideAndCommit(service.store, () => {
    const facts = replicationFacts(service)
    const { cluster, replication } = acceptCluster(accepted, facts)
    return {
      changes: [
        ...changeSystem(service.store, 'replication', replication),
        ...(facts.cluster.promoted ? changeSystem(service.store, 'cluster', cluster) : []),
      ],
      answer: () => json({ Accepted: accepted, PrimaryDatacenter: facts.primaryDatacenter }),
    }
  })
}

function requireClusterId(text: string): string {
  const field = 'Cluster'
  if (text === '') throw new AclError('field_required', 'Cluster is missing', { field })
  if (!isUuid(text)) throw new AclError('id_invalid', 'Cluster is not a UUID', { field })
  return text.toLowerCase()
}

function replicationFacts({
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
