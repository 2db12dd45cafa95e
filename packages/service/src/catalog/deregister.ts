import { planDeregistration } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { namespaceOf } from '../request/namespace.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { expecting, requireOneOf, requireOwnDatacenter } from './writes.ts'

/** Removes a service with its checks, a check, or a node with everything on it. Decisions: catalog. */
export async function deregisterHandler(
  call: Call<'catalog.deregister'>,
): Promise<Answer<'catalog.deregister'>> {
  const { body, service } = call
  requireOwnDatacenter(call, body.Datacenter)
  const namespace = namespaceOf(call, body.Namespace)
  return decideAndCommitFor(call, () => {
    const { oneOf, changes } = planDeregistration(body, namespace, service.store.catalog())
    requireOneOf(call, oneOf)
    return { changes: expecting(changes, call), answer: () => json(true) }
  })
}
