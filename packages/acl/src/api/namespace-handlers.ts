/** Namespaces of the extended edition. Spec 4.9; decisions: namespaces. */
import {
  AclError,
  limits,
  type Namespace,
  type NamespaceRequest,
  namespaceRequestSchema,
} from '@latchkey/contract'
import { expandPolicyLinks, expandRoleLinks, resolvePolicyLinks, resolveRoleLinks } from '../links.ts'
import type { Directory } from '../store/directory.ts'
import { DEFAULT_NAMESPACE, type NamespaceRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { type Answer, type Call, decode, json, missing, notFound } from './call.ts'
import { created, decideAndCommit, modified } from './commit.ts'
import { isNamespaceName } from './namespace.ts'

/** `default` always exists; its record is made when it is first changed. Spec 4.9.5. */
const DEFAULT_RECORD: NamespaceRecord = {
  Name: DEFAULT_NAMESPACE,
  Description: 'Builtin Default Namespace',
  PolicyDefaults: [],
  RoleDefaults: [],
  CreateIndex: 0,
  ModifyIndex: 0,
}

export function createNamespaceHandler(call: Call): Promise<Answer> {
  const { store } = call.api
  const request = decode(call, namespaceRequestSchema)
  const name = request.Name ?? ''
  checkName(name)
  return decideAndCommit(store, async () => {
    const directory = await store.directory()
    if (findNamespace(directory, name)) {
      throw new AclError('name_in_use', `A namespace with Name "${name}" already exists`, { field: 'Name' })
    }
    const record: NamespaceRecord = { ...DEFAULT_RECORD, Name: name, ...content(request, name, directory) }
    return {
      changes: [{ table: 'namespaces', op: 'put', record, expect: 0 }],
      answer: (index) => json(show(created(record, index), directory)),
    }
  })
}

export function readNamespaceHandler(call: Call): Answer {
  const record = findNamespace(call.directory, pathName(call))
  if (!record) return missing(notFound('Requested namespace'), 'namespaces')
  return json(show(record, call.directory), { topic: 'namespaces', filtered: true })
}

/** Replaces description and defaults: what is omitted is cleared. */
export function updateNamespaceHandler(call: Call): Promise<Answer> {
  const { store } = call.api
  const name = pathName(call)
  const request = decode(call, namespaceRequestSchema)
  if (request.Name !== undefined && request.Name !== name) {
    throw new AclError('accessor_mismatch', 'Namespace Name in URL and payload do not match', {
      field: 'Name',
    })
  }
  return decideAndCommit(store, async () => {
    const directory = await store.directory()
    const existing = requireNamespace(directory, name)
    const record = { ...existing, ...content(request, name, directory) }
    return {
      changes: [{ table: 'namespaces', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) =>
        json(show(existing.ModifyIndex === 0 ? created(record, index) : modified(record, index), directory)),
    }
  })
}

/** Only what holds nothing goes: no token, policy, role or key is ever left without its namespace. */
export function deleteNamespaceHandler(call: Call): Promise<Answer> {
  const { store } = call.api
  const name = pathName(call)
  return decideAndCommit(store, async () => {
    const directory = await store.directory()
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

export function listNamespacesHandler(call: Call): Answer {
  const records = new Map([[DEFAULT_NAMESPACE, DEFAULT_RECORD]])
  for (const record of call.directory.namespaces()) records.set(record.Name, record)
  const names = [...records.keys()].sort()
  return json(
    names.flatMap((name) => {
      const record = records.get(name)
      return record ? [show(record, call.directory)] : []
    }),
    { topic: 'namespaces' },
  )
}

export function findNamespace(directory: Directory, name: string): NamespaceRecord | undefined {
  return directory.namespace(name) ?? (name === DEFAULT_NAMESPACE ? DEFAULT_RECORD : undefined)
}

function requireNamespace(directory: Directory, name: string): NamespaceRecord {
  const record = findNamespace(directory, name)
  if (!record) throw notFound('Requested namespace')
  return record
}

function content(request: NamespaceRequest, namespace: string, directory: Directory) {
  return {
    Description: request.Description ?? '',
    PolicyDefaults: resolvePolicyLinks(request.ACLs?.PolicyDefaults, namespace, directory),
    RoleDefaults: resolveRoleLinks(request.ACLs?.RoleDefaults, namespace, directory),
  }
}

async function whatIsHeld(
  store: Store,
  directory: Directory,
  namespace: string,
): Promise<string | undefined> {
  for (const policy of directory.policies()) if (policy.Namespace === namespace) return 'policies'
  for (const role of directory.roles()) if (role.Namespace === namespace) return 'roles'
  for await (const page of store.tokens({ namespace, limit: 1 })) if (page.length > 0) return 'tokens'
  return (await store.kvEntries(namespace, '')).length > 0 ? 'keys' : undefined
}

function pathName(call: Call): string {
  const name = call.params.Name ?? ''
  if (name === '') throw new AclError('id_missing', 'Missing namespace Name', { field: 'Name' })
  return name
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

function show(record: NamespaceRecord, directory: Directory): Namespace {
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
