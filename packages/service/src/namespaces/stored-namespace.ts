/** Look-up and rendering of namespaces. Spec 4.9; decisions: namespaces. */

import {
  DEFAULT_NAMESPACE,
  type Directory,
  expandPolicyLinks,
  expandRoleLinks,
  type NamespaceRecord,
  resolvePolicyLinks,
  resolveRoleLinks,
} from '@latchkey/acl'
import type { CreateNamespace, Namespace, UpdateNamespace } from '@latchkey/contract'
import { notFound } from '../handler.ts'

/** `default` always exists; its first update creates the record. Spec 4.9.5. */
export const DEFAULT_RECORD: NamespaceRecord = {
  Name: DEFAULT_NAMESPACE,
  Description: 'Builtin Default Namespace',
  PolicyDefaults: [],
  RoleDefaults: [],
  CreateIndex: 0,
  ModifyIndex: 0,
}

export function findNamespace(directory: Directory, name: string): NamespaceRecord | undefined {
  return directory.namespace(name) ?? (name === DEFAULT_NAMESPACE ? DEFAULT_RECORD : undefined)
}

/** @throws AclError `not_found`. */
export function requireNamespace(directory: Directory, name: string): NamespaceRecord {
  const record = findNamespace(directory, name)
  if (!record) throw notFound('Requested namespace')
  return record
}

/** The content of a body, with links resolved. */
export function contentOf(
  request: CreateNamespace | UpdateNamespace,
  namespace: string,
  directory: Directory,
) {
  return {
    Description: request.Description ?? '',
    PolicyDefaults: resolvePolicyLinks(request.ACLs?.PolicyDefaults, namespace, directory),
    RoleDefaults: resolveRoleLinks(request.ACLs?.RoleDefaults, namespace, directory),
  }
}

export function showNamespace(record: NamespaceRecord, directory: Directory): Namespace {
  return {
    Name: record.Name,
    Description: record.Description,
    ACLs: {
      PolicyDefaults: expandPolicyLinks(record.PolicyDefaults, directory),
      RoleDefaults: expandRoleLinks(record.RoleDefaults, directory),
    },
    CreateIndex: record.CreateIndex,
    ModifyIndex: record.ModifyIndex,
  }
}
