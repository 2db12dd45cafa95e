/**
 * Checks whether a caller may make the changes that its request results in. It checks the changes, not the request, so every
 * way to make them follows one rule. Decisions: rights across namespaces.
 */
import type { Directory, NamespaceRecord, RoleRecord, StoredLink, TokenRecord } from '@latchkey/acl'
import {
  choosesNamespace,
  defaultsOf,
  GLOBAL_MANAGEMENT_POLICY_ID,
  isGlobalManager,
  linksGlobalManagement,
} from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import { requireExisting } from '../request/namespace.ts'
import type { Change } from '../store/store.ts'
import { globalManagementMissing, requireRight } from './caller.ts'

/**
 * Refuses changes in missing namespaces. If a namespace is deleted before the commit, the store refuses with `changed`, and
 * the next attempt fails here.
 * @throws AclError `not_found`.
 */
export function requireNamespaces(changes: readonly Change[], directory: Directory): void {
  for (const change of changes) {
    if (change.op === 'put' && 'Namespace' in change.record)
      requireExisting({ directory }, change.record.Namespace)
  }
}

/**
 * Checks the rights that changes need beyond the right of the endpoint.
 *
 * In the extended edition, only global managers may change a record that has global management before or after the change
 * (a token, a role that links it, or the policy itself), or an auth method whose logins choose a namespace. New defaults of
 * a namespace need `acl:write` there. Global management is never a default. Defaults are checked first, for all changes.
 * @returns undefined if the changes are allowed and the store did not have to be queried.
 * @throws AclError `privilege_missing`, `field_invalid`.
 */
export function requireAuthority(call: Context, changes: readonly Change[]): Promise<void> | undefined {
  const { service, caller } = call
  const directory = service.store.directory()
  for (const change of changes) {
    if (change.table === 'namespaces' && change.op === 'put') checkDefaults(call, change.record, directory)
    if (change.table === 'roles' && change.op === 'put') checkNotDefault(change.record, directory)
  }
  if (service.edition === 'standard' || caller.isGlobal) return undefined
  return requireGlobal(call, changes, directory)
}

async function requireGlobal(call: Context, changes: readonly Change[], directory: Directory): Promise<void> {
  for (const change of changes) {
    if (crossesNamespaces(change, directory) || (await touchesGlobalManagement(call, change, directory)))
      throw globalManagementMissing(call.caller)
  }
}

/**
 * Whether a caller sees the secret of a token. Spec 4.3, 5.3. In the extended edition, the secret of a global manager gives
 * access to every namespace, so `acl:write` in one of them does not show it.
 */
export function seesSecret(call: Context, token: TokenRecord): boolean {
  const view = secretsSeen(call)
  return view === 'all' || (view === 'ordinary' && !isGlobalManager(token, call.directory))
}

/** Requires that the caller may see and write everything. @throws AclError `privilege_missing`. */
export function requireAll(call: Context): void {
  if (secretsSeen(call) !== 'all') throw globalManagementMissing(call.caller)
}

/** Whose secrets a caller sees; `ordinary`: those of all tokens without global management. */
export function secretsSeen({ service, caller }: Context): 'none' | 'ordinary' | 'all' {
  if (!caller.authorizer.aclWrite) return 'none'
  return service.edition === 'standard' || caller.isGlobal ? 'all' : 'ordinary'
}

function crossesNamespaces(change: Change, directory: Directory): boolean {
  switch (change.table) {
    case 'authMethods': {
      const { Namespace, Name } = change.record
      const existing = directory.authMethod(Namespace, Name)
      return [change.record, existing].some((method) => method && choosesNamespace(method))
    }
    case 'bindingRules': {
      const { Namespace, AuthMethod } = change.record
      const method = directory.authMethod(Namespace, AuthMethod)
      return method !== undefined && choosesNamespace(method)
    }
    default:
      return false
  }
}

async function touchesGlobalManagement(
  call: Context,
  change: Change,
  directory: Directory,
): Promise<boolean> {
  switch (change.table) {
    case 'tokens': {
      if (isGlobalManager(change.record, directory)) return true
      // A new token replaces nothing, so no look-up is needed.
      const existing =
        change.expect === 0 ? undefined : await call.service.store.tokenBySecret(change.record.SecretID)
      return existing !== undefined && isGlobalManager(existing, directory)
    }
    case 'roles': {
      const existing = directory.role(change.record.ID)
      return [change.record, existing].some((role) => role && linksGlobalManagement(role.Policies))
    }
    case 'policies':
      return change.record.ID === GLOBAL_MANAGEMENT_POLICY_ID
    default:
      return false
  }
}

function checkDefaults({ caller }: Context, record: NamespaceRecord, directory: Directory): void {
  const existing = directory.namespace(record.Name)
  // Reads do not show deleted links, so a namespace that is sent back as read lacks them.
  const policies = existing?.PolicyDefaults.filter(({ ID }) => directory.policy(ID)) ?? []
  const roles = existing?.RoleDefaults.filter(({ ID }) => directory.role(ID)) ?? []
  if (!isSame(record.PolicyDefaults, policies) || !isSame(record.RoleDefaults, roles))
    requireRight(caller, record.Name, { resource: 'acl', access: 'write' })
  const acting = defaultsOf(record, directory)
  if (acting.policies.length < record.PolicyDefaults.length) throw isNoDefault('ACLs.PolicyDefaults')
  if (acting.roles.length < record.RoleDefaults.length) throw isNoDefault('ACLs.RoleDefaults')
}

function isSame(links: readonly StoredLink[], others: readonly StoredLink[]): boolean {
  return links.length === others.length && links.every(({ ID }, i) => ID === others[i]?.ID)
}

function isNoDefault(field: string): AclError {
  const what = 'the policy global-management cannot be a default of a namespace, directly or through a role'
  return new AclError('field_invalid', `${field}: ${what}`, { field })
}

function checkNotDefault(role: RoleRecord, directory: Directory): void {
  if (!linksGlobalManagement(role.Policies)) return
  const namespace = directory.namespace(role.Namespace)
  if (!namespace?.RoleDefaults.some(({ ID }) => ID === role.ID)) return
  const message = `Policies: the role is a default of the namespace "${role.Namespace}", so it cannot link global-management`
  throw new AclError('field_invalid', message, { field: 'Policies' })
}
