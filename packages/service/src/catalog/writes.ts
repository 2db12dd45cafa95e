/** The shared parts of registrations and deregistrations: datacenter, rights and commit. */
import type { CatalogChange, CatalogNeed } from '@latchkey/acl'
import { catalogKey, DEFAULT_NAMESPACE } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { requireRight } from '../caller/caller.ts'
import type { Context } from '../handler.ts'
import type { Change } from '../store/store.ts'

/** @throws AclError `datacenter_unknown` for a body that names another datacenter. */
export function requireOwnDatacenter({ service }: Context, named: string | undefined): void {
  if (named === undefined || named === '' || named === service.datacenter) return
  throw new AclError('datacenter_unknown', 'No path to datacenter', { field: 'Datacenter' })
}

/** @throws AclError `privilege_missing`. */
export function requireNeed({ caller }: Context, need: CatalogNeed): void {
  const namespace = need.resource === 'node' ? DEFAULT_NAMESPACE : need.namespace
  requireRight(caller, namespace, { resource: need.resource, segment: need.segment, access: 'write' })
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
