/** Service and node identities: name rule and normal form. Spec 2.4, 2.5. */
import { AclError, limits, type NodeIdentity, type ServiceIdentity, shorten } from '@latchkey/contract'

const IDENTITY_NAME = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/
const NAME_RULE = `Only lowercase alphanumeric characters, '-' and '_' are allowed, it starts and ends with an alphanumeric, and has at most ${limits.IDENTITY_NAME_LENGTH_MAX} characters`

/** Shared: most tokens have no identities. */
const NONE: readonly never[] = []

export function isIdentityName(name: string): boolean {
  return name.length <= limits.IDENTITY_NAME_LENGTH_MAX && IDENTITY_NAME.test(name)
}

/**
 * Checks and normalizes service identities as the reference does: sorted by name; equal names merge into the sorted
 * union of their datacenters, or are valid everywhere if one of them has no datacenters. The datacenters of a unique
 * name keep their order. Decisions: hash and indexes.
 *
 * @param owner `token` or `role`, for the error.
 * @param local whether they belong to a local token, which may not name datacenters. Decisions: tokens.
 * @throws AclError `field_required`, `field_invalid`, `name_invalid`.
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
  const field = `ServiceIdentities[${i}]`
  if (ServiceName === '') {
    throw new AclError(
      'field_required',
      `Service identity is missing the service name field on this ${owner}`,
      {
        field: `${field}.ServiceName`,
      },
    )
  }
  if (local && Datacenters && Datacenters.length > 0) {
    throw new AclError(
      'field_invalid',
      `Service identity "${shorten(ServiceName)}" cannot specify a list of datacenters on a local token`,
      { field: `${field}.Datacenters` },
    )
  }
  if (!isIdentityName(ServiceName)) {
    throw new AclError(
      'name_invalid',
      `Service identity "${shorten(ServiceName)}" has an invalid name. ${NAME_RULE}`,
      { field: `${field}.ServiceName` },
    )
  }
}

/**
 * Checks and normalizes node identities: sorted by name and datacenter, without duplicates.
 *
 * @throws AclError `field_required`, `name_invalid`.
 */
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
  const field = `NodeIdentities[${i}]`
  if (NodeName === '') {
    throw new AclError('field_required', `Node identity is missing the node name field on this ${owner}`, {
      field: `${field}.NodeName`,
    })
  }
  if (Datacenter === '') {
    throw new AclError('field_required', `Node identity is missing the datacenter field on this ${owner}`, {
      field: `${field}.Datacenter`,
    })
  }
  if (!isIdentityName(NodeName)) {
    throw new AclError(
      'name_invalid',
      `Node identity "${shorten(NodeName)}" has an invalid name. ${NAME_RULE}`,
      {
        field: `${field}.NodeName`,
      },
    )
  }
}
