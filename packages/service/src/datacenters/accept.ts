import { acceptCluster, isUuid } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommit } from '../store/commit.ts'
import { changeSystem } from '../store/system-changes.ts'
import { replicationFacts, requireManagement } from './replication-facts.ts'

/** Accepts another store as the primary's: its records replace the stored ones. Decisions: promotion. */
export function acceptClusterHandler(
  call: Call<'datacenters.accept'>,
): Promise<Answer<'datacenters.accept'>> {
  const { service, body } = call
  requireManagement(call)
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
