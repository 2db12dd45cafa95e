/** Service and node identities: name rule and normal form. Spec 2.4, 2.5. */
import {
  AclError,
  type AclErrorCode,
  limits,
  type NodeIdentity,
  type ServiceIdentity,
  shorten,
} from '@latchkey/contract'

const IDENTITY_NAME = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/
const NAME_RULE = `Only lowercase alphanumeric characters, '-' and '_' are allowed, it starts and ends with an alphanumeric, and has at most ${limits.IDENTITY_NAME_LENGTH_MAX} characters`

/** Shared: most tokens have no identities. */
const NONE: readonly never[] = []

export function isIdentityName(name: string): boolean {
  return name.length <= limits.IDENTITY_NAME_LENGTH_MAX && IDENTITY_NAME.test(name)
}

/**
 * Checks and normalizes service identities as the reference does: sorted by name; equal names merge into the
 * sorted union of their datacenters, or are valid everywhere if one of them has no datacenters. The
 * datacenters of a unique name keep their order. Decisions: hash and indexes.
 * @param owner `token` or `role`, for the error.
 * @param local whether they belong to a local token, which may not name datacenters. Decisions: tokens.
 */
export function normalizeServiceIdentities(
  identities: readonly ServiceIdentity[] | undefined,
  owner: 'token' | 'role',
  local = false,
): readonly ServiceIdentity[] {
  if (!identities) return NONE
  for (const [i, identity] of identities.entries()) checkServiceIdentity(identity, i, owner, local)
  const byName = Map.groupBy(identities, ({ ServiceName }) => ServiceName)
  return [...byName.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([ServiceName, equals]) => {
      const Datacenters = mergeDatacenters(equals)
      return Datacenters ? { ServiceName, Datacenters } : { ServiceName }
    })
}

/** @returns undefined if they are valid everywhere. */
function mergeDatacenters(identities: readonly ServiceIdentity[]): string[] | undefined {
  const lists = identities.map(({ Datacenters }) => Datacenters ?? [])
  if (lists.some((list) => list.length === 0)) return undefined
  return lists.length === 1 ? lists[0] : [...new Set(lists.flat())].sort()
}

function checkServiceIdentity(identity: ServiceIdentity, i: number, owner: string, local: boolean): void {
  const { ServiceName, Datacenters } = identity
  const refuse = refusalOf(`ServiceIdentities[${i}]`)
  const named = `Service identity "${shorten(ServiceName)}"`
  if (ServiceName === '') {
    const problem = `Service identity is missing the service name field on this ${owner}`
    throw refuse('field_required', 'ServiceName', problem)
  }
  if (local && Datacenters && Datacenters.length > 0) {
    const problem = `${named} cannot specify a list of datacenters on a local token`
    throw refuse('field_invalid', 'Datacenters', problem)
  }
  if (isIdentityName(ServiceName)) return
  throw refuse('name_invalid', 'ServiceName', `${named} has an invalid name. ${NAME_RULE}`)
}

function refusalOf(identity: string) {
  return (code: AclErrorCode, field: string, message: string) =>
    new AclError(code, message, { field: `${identity}.${field}` })
}

/** Checks and normalizes node identities: sorted by name and datacenter, without duplicates. */
export function normalizeNodeIdentities(
  identities: readonly NodeIdentity[] | undefined,
  owner: 'token' | 'role',
): readonly NodeIdentity[] {
  if (!identities) return NONE
  const byKey = new Map<string, NodeIdentity>()
  for (const [i, identity] of identities.entries()) {
    checkNodeIdentity(identity, i, owner)
    byKey.set(`${identity.NodeName} ${identity.Datacenter}`, identity)
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, identity]) => identity)
}

function checkNodeIdentity({ NodeName, Datacenter }: NodeIdentity, i: number, owner: string): void {
  const refuse = refusalOf(`NodeIdentities[${i}]`)
  const missing = (field: string) => `Node identity is missing the ${field} field on this ${owner}`
  if (NodeName === '') throw refuse('field_required', 'NodeName', missing('node name'))
  if (Datacenter === '') throw refuse('field_required', 'Datacenter', missing('datacenter'))
  if (isIdentityName(NodeName)) return
  const problem = `Node identity "${shorten(NodeName)}" has an invalid name. ${NAME_RULE}`
  throw refuse('name_invalid', 'NodeName', problem)
}
