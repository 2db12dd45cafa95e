/** The shared parts of registrations and deregistrations: datacenter, rights and commit. */
import type { CatalogChange, CatalogNeed } from '@latchkey/acl'
import { catalogKey, DEFAULT_NAMESPACE } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { mayIn, privilegeMissing, requireRightToStored } from '../caller/caller.ts'
import type { Context } from '../handler.ts'
import type { Change } from '../store/store.ts'

/** @throws AclError `datacenter_unknown` for a body that names another datacenter. */
export function requireOwnDatacenter({ service }: Context, named: string | undefined): void {
  if (named === undefined || named === '' || named === service.datacenter) return
  throw new AclError('datacenter_unknown', 'No path to datacenter', { field: 'Datacenter' })
}

/** @throws AclError `privilege_missing`, with the name in the request, or a name that the caller may read. */
export function requireNeed({ caller }: Context, need: CatalogNeed): void {
  const { resource, segment, given } = need
  const question = { resource, segment, access: 'write' } as const
  if (given === undefined) requireRightToStored(caller, homeOf(need), question)
  else if (!mayIn(caller, homeOf(need), question))
    throw privilegeMissing(caller, { ...question, segment: given })
}

/**
 * Requires every need, and then that there is no fault. A record that the caller may not read counts as missing.
 *
 * @throws AclError `privilege_missing`, or the fault.
 */
export function requireNeeds(
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
export function requireOneOf(call: Context, needs: readonly CatalogNeed[]): void {
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
