import { DEFAULT_NAMESPACE, type Directory } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import type { Store } from '../store/store.ts'
import { requireNamespace } from './stored-namespace.ts'

/** Refuses a namespace that is not empty, so that no record is left without its namespace. */
export function deleteNamespaceHandler(
  call: Call<'namespaces.delete'>,
): Promise<Answer<'namespaces.delete'>> {
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
    services: catalog.services(),
    checks: catalog.checks(),
  }
  for (const [what, records] of Object.entries(known))
    for (const record of records) if (record.Namespace === namespace) return what
  for await (const page of store.tokens({ namespace, limit: 1 })) if (page.length > 0) return 'tokens'
  for await (const page of store.kvKeys({ namespace, prefix: '', limit: 1 }))
    if (page.length > 0) return 'keys'
  return undefined
}
