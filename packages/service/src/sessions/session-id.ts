/** Sessions in requests, by ID. */
import { isUuid, rejectsSessionQueries, type SessionRecord } from '@latchkey/acl'
import { AclError, parseServiceVersion, profileOf, shorten } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import { visibleSessions } from './rights.ts'

const MALFORMED = 'failed session lookup: index error: UUID must be 36 characters'

/** @throws AclError `id_invalid`. */
export function requireSessionId(id: string, field = 'ID'): void {
  if (!isUuid(id)) throw new AclError('id_invalid', MALFORMED, { field })
}

/**
 * The session, unless the caller may not read it.
 *
 * @throws AclError `id_missing`, `id_invalid`.
 */
export function sessionInPath(call: Context, { ID }: { readonly ID: string }): SessionRecord | undefined {
  if (ID === '') throw new AclError('id_missing', 'Missing session', { field: 'ID' })
  requireSessionId(ID)
  const found = call.service.store.catalog().sessions.get(ID)
  return found && visibleSessions(call, [found])[0]
}

/** The refusal to renew an unknown session. */
export function noSuchSession(id: string): AclError {
  return new AclError('not_found', `Session id '${shorten(id)}' not found`)
}

/**
 * Refuses requests that fail because the leader runs an incompatible version. Spec 9.3 (1.7.0, 1.7.2).
 *
 * @throws AclError `session_incompatible`.
 */
export async function requireCompatibleLeader({ service }: Context): Promise<void> {
  const { cluster, profile } = service
  if (profile.has('session.checkLists') && !profile.has('session.incompatibleQueries')) return
  const [address, members] = await Promise.all([cluster.leader(), cluster.members()])
  const leader = members.find((member) => member.address === address && member.status === 'alive')
  if (!leader || !rejectsSessionQueries(profile, profileOf(parseServiceVersion(leader.version)))) return
  throw new AclError('session_incompatible', `rpc error making call: ${MALFORMED}`)
}
