/** Service and node identities: their name rule, and one form for equal sets. Spec 2.4, 2.5. */
import { AclError, limits, type NodeIdentity, type ServiceIdentity, shorten } from '@latchkey/contract'

/** Starts and ends with a lower-case alphanumeric; those, `-` and `_` inside. Spec 2.4. */
const IDENTITY_NAME = /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/
const NAME_RULE = `Only lowercase alphanumeric characters, '-' and '_' are allowed, it starts and ends with an alphanumeric, and has at most ${limits.IDENTITY_NAME_LENGTH_MAX} characters`

export function isIdentityName(name: string): boolean {
  return name.length <= limits.IDENTITY_NAME_LENGTH_MAX && IDENTITY_NAME.test(name)
}

/**
 * Checks service identities and brings them into one form: sorted by name; equal names merge, and one without
 * datacenters makes the merged one valid everywhere.
 *
 * @param owner `token` or `role`, for the error.
 * @param local whether they are on a local token, which may not name datacenters. Decisions: tokens.
 * @throws AclError `field_required`, `field_invalid`, `name_invalid`.
 */
export function normalizeServiceIdentities(
  identities: readonly ServiceIdentity[] | undefined,
  owner: 'token' | 'role',
  local = false,
): readonly ServiceIdentity[] {
  if (!identities) return []
  for (const [i, identity] of identities.entries()) checkServiceIdentity(identity, i, owner, local)
  const byName = new Map<string, Set<string> | undefined>()
  for (const { ServiceName, Datacenters } of identities) {
    const known = byName.has(ServiceName) ? byName.get(ServiceName) : new Set<string>()
    const isEverywhere = !Datacenters || Datacenters.length === 0 || !known
    // Into the set that is there: a copy of it for each identity would take quadratic time.
    if (!isEverywhere) for (const datacenter of Datacenters) known.add(datacenter)
    byName.set(ServiceName, isEverywhere ? undefined : known)
  }
  return [...byName.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([ServiceName, datacenters]) =>
      datacenters ? { ServiceName, Datacenters: [...datacenters].sort() } : { ServiceName },
    )
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
 * Checks node identities and brings them into one form: sorted by name and datacenter, duplicates once.
 *
 * @throws AclError `field_required`, `name_invalid`.
 */
export function normalizeNodeIdentities(
  identities: readonly NodeIdentity[] | undefined,
  owner: 'token' | 'role',
): readonly NodeIdentity[] {
  if (!identities) return []
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
