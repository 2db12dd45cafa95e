/** Rights on intentions, which are granted by service rules. Spec 5.4; decisions: intentions. */
import {
  DEFAULT_NAMESPACE,
  type IntentionDestination,
  type IntentionEnds,
  type Question,
  WILDCARD,
} from '@latchkey/acl'
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
  requireRight(call.caller, homeOf(call, end.namespace), questionOf(end, 'read'))
}

/** Where the right to an end is needed: in the standard edition rights hold everywhere, whatever word an end has as namespace. */
function homeOf({ service }: Context, namespace: string): string {
  return service.edition === 'standard' ? DEFAULT_NAMESPACE : namespace
}

/**
 * Requires a right to a name as asked, and as intentions spell it: names match regardless of case, but rules do not.
 * @throws AclError `privilege_missing`, which names a stored spelling only if the caller may read it.
 */
export function requireSpellings(
  call: Context,
  { namespace, name, end }: End & { readonly end: 'source' | 'destination' },
  right: Pick<Question, 'resource' | 'access'>,
): void {
  const { caller, service } = call
  const home = homeOf(call, namespace)
  requireRight(caller, home, { ...right, segment: name })
  const stored = service.store.directory().intentions().spellings(end, namespace, name)
  for (const segment of stored) requireRightToStored(caller, home, { ...right, segment })
}

/** Whether the caller may read the source or the destination: either right shows the whole intention. */
export function maySee(call: Context, intention: IntentionEnds): boolean {
  const { SourceNS, SourceName, DestinationNS, DestinationName } = intention
  return (
    mayRead(call, { namespace: DestinationNS, name: DestinationName }) ||
    mayRead(call, { namespace: SourceNS, name: SourceName })
  )
}

export function mayRead(call: Context, end: End): boolean {
  const { caller } = call
  const isHere = end.namespace === WILDCARD || isAtHome(caller, homeOf(call, end.namespace))
  return isHere && caller.authorizer.decide(questionOf(end, 'read'))
}

function questionOf({ name }: End, access: 'read' | 'write'): Question {
  return { resource: 'intention', segment: name, access }
}
