/** The right that an endpoint needs. Spec 4.1. */
import type { SegmentResource } from '@latchkey/acl'
import type { Right } from '@latchkey/contract'
import { type Caller, callerUnknown, isAtHome, privilegeMissing, requireRight } from './caller.ts'

/** What the bodies of these endpoints write. The handler decides for each name. */
const WRITTEN: Partial<Record<Right, readonly [SegmentResource, ...SegmentResource[]]>> = {
  catalog: ['node', 'service'],
  intention: ['intention'],
}

/**
 * Requires the right of an endpoint. Handlers check rights on single keys, nodes and services.
 *
 * @param at the namespace of the resource, and this server's name.
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
 * Requires the right to write anything at all of what a body may name, so that the bodies of others stay unread.
 *
 * @throws AclError `privilege_missing`.
 */
export function requireBodyRight(caller: Caller, right: Right): void {
  const written = WRITTEN[right]
  if (!written || written.some((resource) => caller.authorizer.policies.mayWriteAny(resource))) return
  throw privilegeMissing(caller, { resource: written[0], access: 'write' })
}
