import { planRegistration, readRegistration } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { namespaceOf } from '../request/namespace.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { expecting, requireNeeds, requireOwnDatacenter } from './writes.ts'

/** Registers a node, a service and checks, all or nothing. Decisions: catalog. */
export function registerHandler(call: Call<'catalog.register'>): Promise<Answer<'catalog.register'>> {
  const { body, service } = call
  const request = readRegistration(body, (field) => namespaceOf(call, field))
  requireOwnDatacenter(call, body.Datacenter)
  return decideAndCommitFor(call, () => {
    const plan = planRegistration(request, service.store.catalog())
    requireNeeds(call, plan)
    return { changes: expecting(plan.changes, call), answer: () => json(true) }
  })
}
