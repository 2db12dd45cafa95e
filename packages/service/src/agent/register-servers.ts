import { planServers, type ServerMember } from '@latchkey/acl'
import { expecting } from '../catalog/writes.ts'
import { decideAndCommit } from '../store/commit.ts'
import type { Store } from '../store/store.ts'

/**
 * Registers servers in the catalog. Writes nothing for a server that is already there. Decisions: agent.
 *
 * @throws AclError `unavailable`.
 */
export function registerServers(store: Store, members: readonly ServerMember[]): Promise<void> {
  return decideAndCommit(store, () => ({
    changes: expecting(planServers(members, store.catalog()), { service: { store } }),
    answer: () => undefined,
  }))
}
