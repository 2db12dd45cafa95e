import { promote, randomUuid } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import { decideAndCommit } from '../store/commit.ts'
import { changeSystem } from '../store/system-changes.ts'
import { replicationFacts, requireManagement } from './replication-facts.ts'

/**
 * Makes this secondary the primary, in one commit. The commit removes the replication record, so a replicator that has not
 * noticed can no longer write. Bootstrap is marked as done, so that nobody can take over. Decisions: promotion.
 */
export async function promoteDatacenterHandler(
  call: Call<'datacenters.promote'>,
): Promise<Answer<'datacenters.promote'>> {
  const { service, body, caller } = call
  requireManagement(call)
  requireName(body.Datacenter, service)
  const answered = body.Force === true ? undefined : await primaryAnswered(service)
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
          Datacenter: service.datacenter,
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

function requireName(name: string, { datacenter }: ServiceOptions): void {
  const field = 'Datacenter'
  if (name === '') throw new AclError('field_required', 'Datacenter is missing', { field })
  if (name !== datacenter) {
    throw new AclError('field_invalid', `Datacenter: this is ${datacenter}`, { field })
  }
}

/** When the primary last answered, if replication is running. */
async function primaryAnswered({ cluster }: ServiceOptions): Promise<string | undefined> {
  const state = await cluster.replication()
  return state?.running ? `at ${state.lastSuccess}` : undefined
}
