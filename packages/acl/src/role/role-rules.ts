/** The rules of roles. Decisions: status codes. */
import { AclError, type CreateRole, limits, type Role, type UpdateRole } from '@latchkey/contract'
import { roleHash } from '../hash.ts'
import { normalizeNodeIdentities, normalizeServiceIdentities } from '../identities.ts'
import { expandPolicyLinks, resolvePolicyLinks } from '../links.ts'
import { type Random, randomUuid } from '../ports.ts'
import type { Directory } from '../records/directory.ts'
import { fieldsOf, type RoleRecord } from '../records/records.ts'

const ROLE_NAME = /^[A-Za-z0-9_-]+$/

/** Builds the record of a new role. */
export function createRole(
  request: CreateRole,
  context: { readonly random: Random; readonly directory: Directory; readonly namespace: string },
): RoleRecord {
  const { random, directory, namespace } = context
  if (request.ID) {
    throw new AclError('field_invalid', 'Cannot specify the ID when creating a new role', { field: 'ID' })
  }
  checkName(request.Name)
  if (directory.roleByName(namespace, request.Name)) throw nameInUse(request.Name)
  return withRoleHash({
    ID: randomUuid(random),
    ...decideContent(request, namespace, directory),
    Hash: '',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: namespace,
  })
}

/**
 * Builds the updated record: replaces every field, and clears omitted ones. @param context.kept fields to
 * keep because the request's service version does not support them. Default: none.
 */
export function updateRole(
  existing: RoleRecord,
  request: UpdateRole,
  context: { readonly directory: Directory; readonly kept?: ReadonlySet<string> },
): RoleRecord {
  const { directory, kept = new Set() } = context
  if (request.ID && request.ID.toLowerCase() !== existing.ID) {
    throw new AclError('accessor_mismatch', 'Role ID in URL and payload do not match', { field: 'ID' })
  }
  checkName(request.Name)
  const holder = directory.roleByName(existing.Namespace, request.Name)
  if (holder && holder.ID !== existing.ID) throw nameInUse(request.Name)
  const content = decideContent(request, existing.Namespace, directory)
  return withRoleHash({ ...existing, ...content, ...fieldsOf(existing, kept) })
}

/** A role in answers, alone and in lists. Keys are in the order of the contract's schema. */
export function showRole(role: RoleRecord, directory: Directory, showNamespace: boolean): Role {
  const Policies = expandPolicyLinks(role.Policies, directory)
  return {
    ID: role.ID,
    Name: role.Name,
    Description: role.Description,
    ...(Policies.length === 0 ? {} : { Policies }),
    ...(role.ServiceIdentities.length === 0 ? {} : { ServiceIdentities: [...role.ServiceIdentities] }),
    ...(role.NodeIdentities.length === 0 ? {} : { NodeIdentities: [...role.NodeIdentities] }),
    Hash: role.Hash,
    CreateIndex: role.CreateIndex,
    ModifyIndex: role.ModifyIndex,
    ...(showNamespace ? { Namespace: role.Namespace } : {}),
  }
}

function decideContent(request: CreateRole | UpdateRole, namespace: string, directory: Directory) {
  return {
    Name: request.Name,
    Description: request.Description ?? '',
    Policies: resolvePolicyLinks(request.Policies, namespace, directory),
    ServiceIdentities: normalizeServiceIdentities(request.ServiceIdentities, 'role'),
    NodeIdentities: normalizeNodeIdentities(request.NodeIdentities, 'role'),
  }
}

function withRoleHash(role: RoleRecord): RoleRecord {
  return { ...role, Hash: roleHash(role) }
}

export function isRoleName(name: string): boolean {
  return name.length <= limits.ROLE_NAME_LENGTH_MAX && ROLE_NAME.test(name)
}

function checkName(name: string): void {
  if (name === '') throw new AclError('field_required', 'Invalid Role: no Name is set', { field: 'Name' })
  if (!isRoleName(name)) {
    const message = `Invalid Role: invalid Name. Only alphanumeric characters, '-' and '_' are allowed, at most ${limits.ROLE_NAME_LENGTH_MAX}`
    throw new AclError('name_invalid', message, { field: 'Name' })
  }
}

function nameInUse(name: string): AclError {
  return new AclError('name_in_use', `Invalid Role: A Role with Name "${name}" already exists`, {
    field: 'Name',
  })
}
