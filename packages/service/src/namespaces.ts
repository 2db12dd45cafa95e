/** Namespaces. Spec 4.9; decisions: namespaces. */

import {
  DEFAULT_NAMESPACE,
  type Directory,
  expandPolicyLinks,
  expandRoleLinks,
  isNamespaceName,
  type NamespaceRecord,
  resolvePolicyLinks,
  resolveRoleLinks,
} from '@latchkey/acl'
import {
  AclError,
  type CreateNamespace,
  limits,
  type Namespace,
  type UpdateNamespace,
} from '@latchkey/contract'
import { type Handler, json, missing, notFound } from './handler.ts'
import { created, decideAndCommitFor, modified } from './store/commit.ts'
import type { Store } from './store/store.ts'

export const createNamespaceHandler: Handler<'namespaces.create'> = (call) => {
  const { store } = call.service
  const request = call.body
  const name = request.Name
  checkName(name)
  return decideAndCommitFor(call, () => {
    const directory = store.directory()
    if (findNamespace(directory, name)) {
      throw new AclError('name_in_use', `A namespace with Name "${name}" already exists`, { field: 'Name' })
    }
    const record: NamespaceRecord = { ...DEFAULT_RECORD, Name: name, ...contentOf(request, name, directory) }
    return {
      changes: [{ table: 'namespaces', op: 'put', record, expect: 0 }],
      answer: (index) => json(showNamespace(created(record, index), directory)),
    }
  })
}

function checkName(name: string): void {
  if (name === '') throw new AclError('field_required', 'The namespace has no Name', { field: 'Name' })
  if (isNamespaceName(name)) return
  throw new AclError(
    'name_invalid',
    `Invalid namespace Name. Alphanumerics, '-' and '_' are allowed, alphanumeric at both ends, at most ${limits.NAMESPACE_NAME_LENGTH_MAX}`,
    { field: 'Name' },
  )
}

export const readNamespaceHandler: Handler<'namespaces.read'> = (call) => {
  const record = findNamespace(call.directory, call.params.Name)
  if (!record) return missing(notFound('Requested namespace'), { topic: 'namespaces', filtered: true })
  return json(showNamespace(record, call.directory), { topic: 'namespaces', modifyIndex: record.ModifyIndex })
}

/** Replaces description and defaults, and clears omitted ones. */
export const updateNamespaceHandler: Handler<'namespaces.update'> = (call) => {
  const { store } = call.service
  const { Name: name } = call.params
  const request = call.body
  if (request.Name !== undefined && request.Name !== name) {
    throw new AclError('accessor_mismatch', 'Namespace Name in URL and payload do not match', {
      field: 'Name',
    })
  }
  return decideAndCommitFor(call, () => {
    const directory = store.directory()
    const existing = requireNamespace(directory, name)
    const record = { ...existing, ...contentOf(request, name, directory) }
    return {
      changes: [{ table: 'namespaces', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) =>
        json(
          showNamespace(
            existing.ModifyIndex === 0 ? created(record, index) : modified(record, index),
            directory,
          ),
        ),
    }
  })
}

/** Refuses a namespace that is not empty, so that no record is left without its namespace. */
export const deleteNamespaceHandler: Handler<'namespaces.delete'> = (call) => {
  const { store } = call.service
  const { Name: name } = call.params
  return decideAndCommitFor(call, async () => {
    const directory = store.directory()
    const existing = requireNamespace(directory, name)
    if (name === DEFAULT_NAMESPACE) {
      throw new AclError('delete_refused', 'The namespace "default" always exists')
    }
    const held = await whatIsHeld(store, directory, name)
    if (held !== undefined)
      throw new AclError('delete_refused', `The namespace "${name}" still holds ${held}`)
    return {
      changes: [{ table: 'namespaces', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}

async function whatIsHeld(
  store: Store,
  directory: Directory,
  namespace: string,
): Promise<string | undefined> {
  const catalog = store.catalog()
  const known = {
    policies: directory.policies(),
    roles: directory.roles(),
    'auth methods': directory.authMethods(),
    'binding rules': directory.bindingRules(),
    // With their checks: a check without a service is in the default namespace.
    services: catalog.services(),
  }
  for (const [what, records] of Object.entries(known))
    for (const record of records) if (record.Namespace === namespace) return what
  for await (const page of store.tokens({ namespace, limit: 1 })) if (page.length > 0) return 'tokens'
  for await (const page of store.kvKeys({ namespace, prefix: '', limit: 1 }))
    if (page.length > 0) return 'keys'
  return undefined
}

export const listNamespacesHandler: Handler<'namespaces.list'> = (call) => {
  const records = new Map([[DEFAULT_NAMESPACE, DEFAULT_RECORD]])
  for (const record of call.directory.namespaces()) records.set(record.Name, record)
  const names = [...records.keys()].sort()
  return json(
    names.flatMap((name) => {
      const record = records.get(name)
      return record ? [showNamespace(record, call.directory)] : []
    }),
    { topic: 'namespaces' },
  )
}

/** `default` always exists; its first update creates the record. Spec 4.9.5. */
const DEFAULT_RECORD: NamespaceRecord = {
  Name: DEFAULT_NAMESPACE,
  Description: 'Builtin Default Namespace',
  PolicyDefaults: [],
  RoleDefaults: [],
  CreateIndex: 0,
  ModifyIndex: 0,
}

function findNamespace(directory: Directory, name: string): NamespaceRecord | undefined {
  return directory.namespace(name) ?? (name === DEFAULT_NAMESPACE ? DEFAULT_RECORD : undefined)
}

/** @throws AclError `not_found`. */
function requireNamespace(directory: Directory, name: string): NamespaceRecord {
  const record = findNamespace(directory, name)
  if (!record) throw notFound('Requested namespace')
  return record
}

/** The content of a body, with links resolved. */
function contentOf(request: CreateNamespace | UpdateNamespace, namespace: string, directory: Directory) {
  return {
    Description: request.Description ?? '',
    PolicyDefaults: resolvePolicyLinks(request.ACLs?.PolicyDefaults, namespace, directory),
    RoleDefaults: resolveRoleLinks(request.ACLs?.RoleDefaults, namespace, directory),
  }
}

function showNamespace(record: NamespaceRecord, directory: Directory): Namespace {
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
