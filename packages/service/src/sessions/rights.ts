/** Rights to sessions, by their nodes. */
import { DEFAULT_NAMESPACE, type SessionRecord } from '@latchkey/acl'
import { isAtHome, requireRight } from '../caller/caller.ts'
import type { Context } from '../handler.ts'

/** @throws AclError `privilege_missing`. */
export function requireSessionWrite({ caller }: Context, node: string): void {
  requireRight(caller, DEFAULT_NAMESPACE, { resource: 'session', segment: node, access: 'write' })
}

/** The sessions that the caller may see. */
export function visibleSessions(
  { caller }: Context,
  sessions: readonly SessionRecord[],
): readonly SessionRecord[] {
  if (!isAtHome(caller, DEFAULT_NAMESPACE)) return []
  return sessions.filter(({ Node }) =>
    caller.authorizer.decide({ resource: 'session', segment: Node, access: 'read' }),
  )
}
