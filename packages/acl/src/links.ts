/** Links: sent by ID or name, stored by ID, returned with the current name. Spec 2.2, 2.3. */
import { AclError, type PolicyLink, type RoleLink, shorten } from '@latchkey/contract'
import type { Directory } from './records/directory.ts'
import type { StoredLink, TokenRecord } from './records/records.ts'

export type TokenLinks = Pick<TokenRecord, 'Policies' | 'Roles' | 'ServiceIdentities' | 'NodeIdentities'>

/** Whether a token has a policy, role or identity of its own; if so, its legacy Rules are ignored. */
export function hasLinks({
  Policies,
  Roles,
  ServiceIdentities,
  NodeIdentities,
}: Readonly<Record<keyof TokenLinks, readonly unknown[]>>): boolean {
  return [Policies, Roles, ServiceIdentities, NodeIdentities].some((links) => links.length > 0)
}

/**
 * Resolves the policy links of a request. If a link has both ID and name, the ID wins; names match
 * case-insensitively; duplicates collapse to their first position.
 */
export function resolvePolicyLinks(
  links: readonly PolicyLink[] | undefined,
  namespace: string,
  directory: Directory,
): readonly StoredLink[] {
  return resolveLinks(links, 'Policies', 'policy', {
    byId: (id) => directory.policy(id),
    byName: (name) => directory.policyByName(namespace, name),
    namespace,
  })
}

export function resolveRoleLinks(
  links: readonly RoleLink[] | undefined,
  namespace: string,
  directory: Directory,
): readonly StoredLink[] {
  return resolveLinks(links, 'Roles', 'role', {
    byId: (id) => directory.role(id),
    byName: (name) => directory.roleByName(namespace, name),
    namespace,
  })
}

interface Target {
  readonly ID: string
  readonly Namespace: string
}

interface Lookup {
  readonly byId: (id: string) => Target | undefined
  readonly byName: (name: string) => Target | undefined
  readonly namespace: string
}

/** Shared: many tokens have no links. */
const NONE: readonly never[] = []

function resolveLinks(
  links: readonly PolicyLink[] | undefined,
  field: 'Policies' | 'Roles',
  what: 'policy' | 'role',
  lookup: Lookup,
): readonly StoredLink[] {
  if (!links || links.length === 0) return NONE
  const ids = new Set<string>()
  for (const [i, link] of links.entries()) {
    const byId = link.ID !== undefined && link.ID !== ''
    const target = byId ? lookup.byId(link.ID ?? '') : lookup.byName(link.Name ?? '')
    // A link across namespaces would let one namespace's administrators grant themselves rights in another (spec 4.9).
    if (target?.Namespace !== lookup.namespace) {
      const said = byId ? `ID "${shorten(link.ID ?? '')}"` : `name "${shorten(link.Name ?? '')}"`
      throw new AclError('link_unknown', `No such ACL ${what} with ${said}`, { field: `${field}[${i}]` })
    }
    ids.add(target.ID)
  }
  return [...ids].map((ID) => ({ ID }))
}

/** Links in answers: with current names, without dangling links. Decisions: record shapes. */
export function expandPolicyLinks(
  links: readonly StoredLink[],
  directory: Directory,
): { readonly ID: string; readonly Name: string }[] {
  return links.flatMap(({ ID }) => {
    const policy = directory.policy(ID)
    return policy ? [{ ID, Name: policy.Name }] : []
  })
}

export function expandRoleLinks(
  links: readonly StoredLink[],
  directory: Directory,
): { readonly ID: string; readonly Name: string }[] {
  return links.flatMap(({ ID }) => {
    const role = directory.role(ID)
    return role ? [{ ID, Name: role.Name }] : []
  })
}
