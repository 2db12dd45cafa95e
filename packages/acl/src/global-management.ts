/**
 * Rights in every namespace: the built-in policy `global-management`, linked directly or through a role, or the legacy
 * type `management`. Decisions: rights across namespaces.
 */
import { GLOBAL_MANAGEMENT_POLICY_ID } from './builtin.ts'
import type { NamespaceRecord, RoleRecord, StoredLink, TokenRecord } from './records/records.ts'

interface RoleLookup {
  role(id: string): RoleRecord | undefined
}

/**
 * Whether a token acts in every namespace. @param legacyRules false from service version 1.11, in which a
 * legacy type gives no right. Spec 9.1.
 */
export function isGlobalManager(
  token: Pick<TokenRecord, 'Policies' | 'Roles' | 'Type'>,
  lookup: RoleLookup,
  legacyRules = true,
): boolean {
  if (legacyRules && token.Type === 'management') return true
  return linksGlobalManagement(token.Policies) || token.Roles.some((link) => isGlobalRole(link, lookup))
}

export function linksGlobalManagement(links: readonly StoredLink[]): boolean {
  return links.some((link) => link.ID === GLOBAL_MANAGEMENT_POLICY_ID)
}

/** Results by role: in a list of 100,000 tokens, scanning a role of a thousand links for each token took 13 seconds. */
const globalRoles = new WeakMap<RoleRecord, boolean>()

function isGlobalRole(link: StoredLink, lookup: RoleLookup): boolean {
  const role = lookup.role(link.ID)
  if (role === undefined) return false
  const known = globalRoles.get(role)
  if (known !== undefined) return known
  const isGlobal = linksGlobalManagement(role.Policies)
  globalRoles.set(role, isGlobal)
  return isGlobal
}

/**
 * The effective defaults of a namespace. Global management is never a default: a stored link to it, from an older
 * version or from two concurrent writes, grants nothing.
 */
export function defaultsOf(
  { PolicyDefaults, RoleDefaults }: Pick<NamespaceRecord, 'PolicyDefaults' | 'RoleDefaults'>,
  lookup: RoleLookup,
) {
  return {
    policies: PolicyDefaults.filter((link) => !linksGlobalManagement([link])),
    roles: RoleDefaults.filter((link) => !isGlobalRole(link, lookup)),
  }
}
