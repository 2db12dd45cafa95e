/** The query option `filter` of catalog, health, agent and intention lists. Decisions: filters. */
import { compileFilter, type ShapeOf } from '@latchkey/acl'
import type { Context } from '../handler.ts'
import { StepCounter } from '../turns.ts'

/**
 * The records that the filter of a request selects, in their order.
 * @param records those that the caller may read. @param shape the fields that the filter may name.
 * @throws AclError `filter_invalid`, `field_too_long`.
 */
export function filterFor<T extends object>(
  call: Filtered,
  records: readonly T[],
  shape: ShapeOf<T>,
): Promise<T[]> {
  return selectRecords(call, records, shape, call.service.profile.has('query.filterWords'))
}

type Filtered = Context & { readonly query: { readonly filter?: string | undefined } }

/** @param hasWords whether `contains` and `matches` exist. */
export async function selectRecords<T extends object>(
  call: Filtered,
  records: readonly T[],
  shape: ShapeOf<T>,
  hasWords = true,
): Promise<T[]> {
  const filter = compileFilter(call.query.filter, shape, { hasWords })
  if (filter === undefined) return [...records]
  const counter = new StepCounter(call)
  const selected: T[] = []
  for (const record of records) {
    await counter.count(filter.steps)
    if (filter.matches(record)) selected.push(record)
  }
  return selected
}
