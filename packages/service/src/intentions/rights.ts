/** Rights on intentions, which are granted by service rules. Spec 5.4; decisions: intentions. */
import { type IntentionDestination, type IntentionEnds, type Question, WILDCARD } from '@latchkey/acl'
import { isAtHome, requireRight } from '../caller/caller.ts'
import type { Context } from '../handler.ts'

/** One end of an intention. */
export interface End {
  readonly namespace: string
  readonly name: string
}

/**
 * Writing an intention needs `intentions = "write"` on its destination; for `*`, on every service.
 *
 * @throws AclError `privilege_missing`.
 */
export function requireIntentionWrite(
  call: Context,
  { DestinationNS: namespace, DestinationName: name }: IntentionDestination,
): void {
  requireIntention(call, { namespace, name }, 'write')
}

/** @throws AclError `privilege_missing`. */
export function requireIntentionRead(call: Context, end: End): void {
  requireIntention(call, end, 'read')
}

function requireIntention(call: Context, end: End, access: 'read' | 'write'): void {
  requireRight(call.caller, end.namespace, questionOf(end, access))
}

/** Whether the caller may read the source or the destination: either right shows the whole intention. */
export function maySee(call: Context, intention: IntentionEnds): boolean {
  const { SourceNS, SourceName, DestinationNS, DestinationName } = intention
  return (
    mayRead(call, { namespace: DestinationNS, name: DestinationName }) ||
    mayRead(call, { namespace: SourceNS, name: SourceName })
  )
}

export function mayRead({ caller }: Context, end: End): boolean {
  const isHere = end.namespace === WILDCARD || isAtHome(caller, end.namespace)
  return isHere && caller.authorizer.decide(questionOf(end, 'read'))
}

function questionOf({ name }: End, access: 'read' | 'write'): Question {
  return { resource: 'intention', segment: name, access }
}
