/** Rights on intentions, which are granted by service rules. Spec 5.4; decisions: intentions. */
import { type IntentionDestination, type IntentionEnds, type Question, WILDCARD } from '@latchkey/acl'
import { isAtHome, requireRight, requireRightToStored } from '../caller/caller.ts'
import type { Context } from '../handler.ts'

export interface End {
  readonly namespace: string
  readonly name: string
}

/**
 * Writing an intention needs `intentions = "write"` on its destination, in every spelling that its intentions have; for
 * `*`, on every service.
 * @throws AclError `privilege_missing`.
 */
export function requireIntentionWrite(
  call: Context,
  { DestinationNS: namespace, DestinationName: name }: IntentionDestination,
): void {
  requireSpellings(call, { namespace, name, end: 'destination' }, { resource: 'intention', access: 'write' })
}

export function requireIntentionRead(call: Context, end: End): void {
  requireRight(call.caller, end.namespace, questionOf(end, 'read'))
}

/**
 * Requires a right to a name as asked, and as intentions spell it: names match regardless of case, but rules do not.
 * @throws AclError `privilege_missing`, which names a stored spelling only if the caller may read it.
 */
export function requireSpellings(
  { caller, service }: Context,
  { namespace, name, end }: End & { readonly end: 'source' | 'destination' },
  right: Pick<Question, 'resource' | 'access'>,
): void {
  requireRight(caller, namespace, { ...right, segment: name })
  const stored = service.store.directory().intentions().spellings(end, namespace, name)
  for (const segment of stored) requireRightToStored(caller, namespace, { ...right, segment })
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
