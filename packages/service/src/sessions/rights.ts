/** Rights to sessions, by their nodes. */
import { DEFAULT_NAMESPACE, type SessionRecord } from '@latchkey/acl'
import { mayIn, privilegeMissing } from '../caller/caller.ts'
import type { Context } from '../handler.ts'

/**
 * @param given the name in the request, if the stored one has another case.
 * @throws AclError `privilege_missing`.
 */
export function requireSessionWrite({ caller }: Context, node: string, given = node): void {
  const question = { resource: 'session', segment: node, access: 'write' } as const
  if (!mayIn(caller, DEFAULT_NAMESPACE, question))
    throw privilegeMissing(caller, { ...question, segment: given })
}

/** The sessions that the caller may see. */
export function visibleSessions(
  { caller }: Context,
  sessions: readonly SessionRecord[],
): readonly SessionRecord[] {
  return sessions.filter(({ Node }) =>
    mayIn(caller, DEFAULT_NAMESPACE, { resource: 'session', segment: Node, access: 'read' }),
  )
}
