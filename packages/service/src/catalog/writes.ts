/** Registrations and deregistrations. Decisions: catalog. */
import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { CatalogChange, CatalogNeed } from '@latchkey/catalog'
import { catalogKey, planDeregistration, planRegistration, readRegistration } from '@latchkey/catalog'
import { AclError } from '@latchkey/contract'
import { mayIn, requireRight, requireRightToStored } from '../caller/caller.ts'
import { type Context, type Handler, json } from '../handler.ts'
import { namespaceOf } from '../request/namespace.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import type { Change } from '../store/store.ts'

export const registerHandler: Handler<'catalog.register'> = (call) => {
  const { body, service } = call
  const request = readRegistration(body, (field) => namespaceOf(call, field))
  requireOwnDatacenter(call, body.Datacenter)
  return decideAndCommitFor(call, () => {
    const plan = planRegistration(request, service.store.catalog())
    requireNeeds(call, plan)
    return { changes: expecting(plan.changes, call), answer: () => json(true) }
  })
}

/** Removes a service with its checks, a check, or a node with everything on it. Decisions: catalog. */
export const deregisterHandler: Handler<'catalog.deregister'> = async (call) => {
  const { body, service } = call
  requireOwnDatacenter(call, body.Datacenter)
  const namespace = namespaceOf(call, body.Namespace)
  return decideAndCommitFor(call, () => {
    const { oneOf, changes } = planDeregistration(body, namespace, service.store.catalog())
    requireOneOf(call, oneOf)
    return { changes: expecting(changes, call), answer: () => json(true) }
  })
}

function requireOwnDatacenter({ service }: Context, named: string | undefined): void {
  if (named === undefined || named === '' || named === service.datacenter) return
  throw new AclError('datacenter_unknown', 'No path to datacenter', { field: 'Datacenter' })
}

/** @throws AclError `privilege_missing`, with the name in the request, or a name that the caller may read. */
export function requireNeed({ caller }: Context, need: CatalogNeed): void {
  const { resource, segment, given } = need
  const question = { resource, segment, access: 'write' } as const
  if (given === undefined) requireRightToStored(caller, homeOf(need), question)
  else requireRight(caller, homeOf(need), question, { segment: given })
}

/**
 * Requires every need, and then that there is no fault. A record that the caller may not read counts as missing.
 * @throws AclError `privilege_missing`, or the fault.
 */
function requireNeeds(
  call: Context,
  { needs, fault }: { readonly needs: readonly CatalogNeed[]; readonly fault: AclError | undefined },
): void {
  let problem = fault
  for (const need of needs) {
    const { resource, segment, whenHidden } = need
    if (whenHidden && !mayIn(call.caller, homeOf(need), { resource, segment, access: 'read' }))
      problem ??= whenHidden
    else requireNeed(call, need)
  }
  if (problem) throw problem
}

function homeOf(need: CatalogNeed): string {
  return need.resource === 'node' ? DEFAULT_NAMESPACE : need.namespace
}

/** @throws AclError `privilege_missing` for the first need, if the caller meets none of them. */
function requireOneOf(call: Context, needs: readonly CatalogNeed[]): void {
  let refusal: unknown
  for (const need of needs) {
    try {
      requireNeed(call, need)
      return
    } catch (error) {
      refusal ??= error
    }
  }
  throw refusal
}

/** Makes changes conditional on the records being as they were read. */
export function expecting(
  changes: readonly CatalogChange[],
  { service }: { readonly service: Pick<Context['service'], 'store'> },
): readonly Change[] {
  const catalog = service.store.catalog()
  return changes.map((change) => {
    const { table } = change
    const existing = catalog.get(table, catalogKey(table, change.record))
    return { ...change, expect: existing?.ModifyIndex ?? 0 }
  })
}
