/** The right that an endpoint needs. Spec 4.1. */
import type { SegmentResource } from '@latchkey/acl'
import type { AnyRoute, Right } from '@latchkey/contract'
import { type Caller, callerUnknown, isAtHome, privilegeMissing, requireRight } from './caller.ts'

/** Rights that the handler checks for each resource by name, and the resources that their writes may change. */
const JUDGED_BY_NAME: Partial<Record<Right, readonly [SegmentResource, ...SegmentResource[]]>> = {
  catalog: ['node', 'service'],
  intention: ['intention'],
  session: ['session'],
}

/** Whether the handler checks a right for each resource by name, because the body has the names. */
export function isJudgedByName(right: Right): boolean {
  return right === 'transaction' || JUDGED_BY_NAME[right] !== undefined
}

/**
 * Requires the right of an endpoint. Handlers check rights on single keys, nodes and services.
 *
 * @param at the namespace of the resource, and the name of this server.
 * @throws AclError `privilege_missing`; `caller_unknown` if the caller must present a token of its own.
 */
export function requireEndpointRight(
  caller: Caller,
  right: Right,
  at: { readonly namespace: string; readonly nodeName: string },
): void {
  const { namespace, nodeName } = at
  switch (right) {
    case 'none':
    case 'key':
    case 'catalog':
    case 'transaction':
    case 'session':
      return
    case 'self':
      // A request without a token does not act as the anonymous token here. Decisions: status codes.
      if (!caller.presented) throw callerUnknown()
      return
    case 'acl:read':
      if (!caller.authorizer.aclRead || !isAtHome(caller, namespace)) {
        requireRight(caller, namespace, { resource: 'acl', access: 'read' })
      }
      return
    case 'acl:write':
      requireRight(caller, namespace, { resource: 'acl', access: 'write' })
      return
    case 'operator:read':
      requireRight(caller, namespace, { resource: 'operator', access: 'read' })
      return
    case 'operator:write':
      requireRight(caller, namespace, { resource: 'operator', access: 'write' })
      return
    case 'agent:read':
      requireRight(caller, namespace, { resource: 'agent', segment: nodeName, access: 'read' })
      return
    case 'agent:write':
      requireRight(caller, namespace, { resource: 'agent', segment: nodeName, access: 'write' })
  }
}

/**
 * Requires write access to at least one resource that the request may name. Other callers learn nothing about stored records,
 * and their bodies are not read.
 *
 * @throws AclError `privilege_missing`.
 */
export function requireSomeWrite(caller: Caller, { right, writes = 'nothing' }: AnyRoute): void {
  const named = JUDGED_BY_NAME[right]
  if (!named || writes === 'nothing') return
  if (named.some((resource) => caller.authorizer.policies.mayWriteAny(resource))) return
  throw privilegeMissing(caller, { resource: named[0], access: 'write' })
}
