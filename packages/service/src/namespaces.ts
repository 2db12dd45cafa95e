/** Namespaces. Spec 4.9; decisions: namespaces. */
import type { Directory, NamespaceRecord } from '@latchkey/acl'
import {
  DEFAULT_NAMESPACE,
  expandPolicyLinks,
  expandRoleLinks,
  isNamespaceName,
  resolvePolicyLinks,
  resolveRoleLinks,
} from '@latchkey/acl'
import type { CreateNamespace, Namespace, UpdateNamespace } from '@latchkey/contract'
import { AclError, limits } from '@latchkey/contract'
import { type Handler, json } from './handler.ts'
import { type Kind, readRecord, requireRecord, writeRecord } from './records.ts'
import { remove } from './store/changes.ts'
import { decideAndCommitFor } from './store/commit.ts'
import type { Store } from './store/store.ts'

const NAMESPACES: Kind<'namespaces', Namespace> = {
  table: 'namespaces',
  subject: 'Requested namespace',
  find: findNamespace,
  show: (_, record, directory) => showNamespace(record, directory),
}

export const createNamespaceHandler: Handler<'namespaces.create'> = (call) => {
  const { body } = call
  const { Name } = body
  checkName(Name)
  return writeRecord(NAMESPACES, call, (directory) => {
    if (findNamespace(directory, Name))
      throw new AclError('name_in_use', `A namespace with Name "${Name}" already exists`, { field: 'Name' })
    return { record: { ...DEFAULT_RECORD, Name, ...contentOf(body, Name, directory) } }
  })
}

function checkName(name: string): void {
  if (name === '') throw new AclError('field_required', 'The namespace has no Name', { field: 'Name' })
  if (isNamespaceName(name)) return
  const message = `Invalid namespace Name. Alphanumerics, '-' and '_' are allowed, alphanumeric at both ends, at most ${limits.NAMESPACE_NAME_LENGTH_MAX}`
  throw new AclError('name_invalid', message, { field: 'Name' })
}

export const readNamespaceHandler: Handler<'namespaces.read'> = (call) =>
  readRecord(NAMESPACES, call, call.params.Name)

/** Replaces description and defaults, and clears omitted ones. */
export const updateNamespaceHandler: Handler<'namespaces.update'> = (call) => {
  const { body, params } = call
  const { Name } = params
  if (body.Name !== undefined && body.Name !== Name) {
    const message = 'Namespace Name in URL and payload do not match'
    throw new AclError('accessor_mismatch', message, { field: 'Name' })
  }
  return writeRecord(NAMESPACES, call, (directory) => {
    const existing = requireRecord(NAMESPACES, call, directory, Name)
    return { record: { ...existing, ...contentOf(body, Name, directory) }, existing }
  })
}

/** Refuses a namespace that is not empty, so that no record is left without its namespace. */
export const deleteNamespaceHandler: Handler<'namespaces.delete'> = (call) => {
  const { store } = call.service
  const { Name: name } = call.params
  return decideAndCommitFor(call, async () => {
    const directory = store.directory()
    const existing = requireRecord(NAMESPACES, call, directory, name)
    if (name === DEFAULT_NAMESPACE)
      throw new AclError('delete_refused', 'The namespace "default" always exists')
    const held = await whatIsHeld(store, directory, name)
    if (held !== undefined)
      throw new AclError('delete_refused', `The namespace "${name}" still holds ${held}`)
    return { changes: [remove('namespaces', existing)], answer: () => json(true) }
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
  const sorted = [...records.values()].sort((a, b) => (a.Name < b.Name ? -1 : 1))
  const shown = sorted.map((record) => showNamespace(record, call.directory))
  return json(shown, { topic: 'namespaces' })
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
