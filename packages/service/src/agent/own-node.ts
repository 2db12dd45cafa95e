/** What is registered on the server's own node, which is the agent's part of the catalog. Decisions: agent. */
import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { Catalog, CheckRecord, ServiceRecord } from '@latchkey/catalog'
import { ALIVE_CHECK, needOfService, serverNode, serverServiceOf } from '@latchkey/catalog'
import { AclError, shorten } from '@latchkey/contract'
import { RowRights, requireNode } from '../catalog/rights.ts'
import { requireNeed } from '../catalog/writes.ts'
import type { Context } from '../handler.ts'
import { put } from '../store/changes.ts'
import type { Change } from '../store/store.ts'

/** The check that the server registers for itself, besides its service. The agent endpoints neither show nor change them. */
const SERVER_CHECK = ALIVE_CHECK.toLowerCase()

type Place = Pick<Context, 'service'>

function isServers(service: Place['service'], id: string): boolean {
  return id.toLowerCase() === serverServiceOf(service).toLowerCase()
}

export function ownServices({ service }: Place, catalog: Catalog): readonly ServiceRecord[] {
  return catalog
    .servicesOn(service.nodeName)
    .filter(({ ID, Namespace }) => Namespace === DEFAULT_NAMESPACE && !isServers(service, ID))
}

export function ownChecks({ service }: Place, catalog: Catalog): readonly CheckRecord[] {
  return catalog
    .checksOn(service.nodeName)
    .filter(
      ({ CheckID, Namespace }) => Namespace === DEFAULT_NAMESPACE && CheckID.toLowerCase() !== SERVER_CHECK,
    )
}

export function ownService({ service }: Place, catalog: Catalog, id: string): ServiceRecord | undefined {
  return isServers(service, id) ? undefined : catalog.service(service.nodeName, id)
}

export function ownCheck({ service }: Place, catalog: Catalog, id: string): CheckRecord | undefined {
  return id.toLowerCase() === SERVER_CHECK ? undefined : catalog.check(service.nodeName, id)
}

/** Like {@link ownService}; a service that the caller may not read is absent. */
export function seenService(call: Context, catalog: Catalog, id: string): ServiceRecord | undefined {
  const found = ownService(call, catalog, id)
  return found && new RowRights(call).service(found) ? found : undefined
}

/** Like {@link ownCheck}; a check of a service or node that the caller may not read is absent. */
function seenCheck(call: Context, catalog: Catalog, id: string): CheckRecord | undefined {
  const found = ownCheck(call, catalog, id)
  if (!found) return undefined
  const rights = new RowRights(call)
  const service = catalog.serviceOf(found)
  return (service ? rights.service(service) : rights.node(found.Node)) ? found : undefined
}

export function requireOwnService(call: Context, catalog: Catalog, id: string): ServiceRecord {
  const found = seenService(call, catalog, id)
  if (!found) throw new AclError('not_found', `Unknown service ${JSON.stringify(shorten(id))}`)
  return found
}

export function requireOwnCheck(call: Context, catalog: Catalog, id: string): CheckRecord {
  const found = seenCheck(call, catalog, id)
  if (!found) throw new AclError('not_found', `Unknown check ${JSON.stringify(shorten(id))}`)
  return found
}

/** Whether deregistering a service or check that does not exist succeeds. */
export function removesUnknown({ service }: Place): boolean {
  return !service.aclEnabled && service.profile.has('agent.removesUnknown')
}

/**
 * Changing a check of a service needs the right to the service, and a check of the node the right to the node.
 * @throws AclError `privilege_missing`.
 */
export function requireCheckWrite(call: Context, catalog: Catalog, check: CheckRecord): void {
  const service = catalog.serviceOf(check)
  if (service) requireNeed(call, needOfService(service))
  else requireNode(call, call.service.nodeName, 'write')
}

export function nodeChanges({ service }: Place, catalog: Catalog): readonly Change[] {
  const { nodeName, cluster } = service
  if (catalog.node(nodeName)) return []
  const record = serverNode(cluster.self())
  return [put('nodes', record)]
}

/** Refuses names that only the server may register. @throws AclError `field_invalid`. */
export function refuseServerIds(
  { service }: Place,
  ids: { readonly service?: string; readonly checks: readonly string[] },
): void {
  const isOwn =
    (ids.service !== undefined && isServers(service, ids.service)) ||
    ids.checks.some((id) => id.toLowerCase() === SERVER_CHECK)
  if (isOwn) throw new AclError('field_invalid', 'The ID is that of the server itself', { field: 'ID' })
}
