/** The query option `filter` of catalog, health, agent and intention lists. Decisions: filters. */
import { filterRecords, inTurns, type ShapeOf } from '@latchkey/acl'
import type { Context } from '../handler.ts'

/**
 * The records that the filter of a request selects, in their order.
 *
 * @param records those that the caller may read. @param shape the fields that the filter may name.
 * @throws AclError `filter_invalid`, `field_too_long`.
 */
export function filterFor<T extends object>(
  call: Context & { readonly query: { readonly filter?: string | undefined } },
  records: readonly T[],
  shape: ShapeOf<T>,
): Promise<readonly T[]> {
  const hasWords = call.service.profile.has('query.filterWords')
  return inTurns(filterRecords(records, call.query.filter, shape, { hasWords }), call)
}
