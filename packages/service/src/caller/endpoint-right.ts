/** The right that an endpoint needs. Spec 4.1. */
import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { AclError, AnyRoute, Right, SegmentResource } from '@latchkey/contract'
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
      if (!caller.authorizer.aclRead || !isAtHome(caller, namespace))
        requireRight(caller, namespace, { resource: 'acl', access: 'read' })
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

/** The refusal of a caller that may write no resource that the request may name; it learns nothing about stored records. */
export function refusalOfWrites(
  caller: Caller,
  { name, namespaced, right, writes = 'nothing' }: AnyRoute,
): AclError | undefined {
  const named = JUDGED_BY_NAME[right]
  if (!named || writes === 'nothing') return undefined
  // Intentions name their namespaces.
  const isHere = namespaced || right === 'intention' || isAtHome(caller, DEFAULT_NAMESPACE)
  if (isHere && named.some((resource) => caller.authorizer.policies.mayWriteAny(resource))) return undefined
  const found = named.find((one) => name.toLowerCase().includes(one))
  const others = found ? [] : named.slice(1)
  const resource = found ?? named[0]
  const or = others.map((other) => ` or '${other}:write' on any ${other}`).join('')
  return privilegeMissing(caller, { resource, access: 'write' }, ` on any ${resource}${or}`)
}

/**
 * Requires the right to read at least one service of the agent, so that a caller without any learns no more from an ID that
 * exists than from another.
 * @throws AclError `privilege_missing`.
 */
export function requireSomeService(caller: Caller): void {
  if (isAtHome(caller, DEFAULT_NAMESPACE) && caller.authorizer.policies.mayReadAny('service')) return
  throw privilegeMissing(caller, { resource: 'service', access: 'read' }, ' on any service')
}
