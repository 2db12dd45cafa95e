import type { Answer, Call } from '../handler.ts'
import { answerChecks } from './check-list.ts'
import { indexOfTables, watchOfService } from './watches.ts'

export function serviceChecksHandler(
  call: Call<'health.checks'>,
): Answer<'health.checks'> | Promise<Answer<'health.checks'>> {
  const { params, query, namespace, service } = call
  const catalog = service.store.catalog()
  const own = watchOfService(call, catalog, params.Service, 'nodes', 'services', 'checks')
  // Checks show the name and the tags of their service.
  const index = query['node-meta'] ? own.index : Math.max(own.index, indexOfTables(service.store, 'checks'))
  const watch = { ...own, index, filtered: true } as const
  const checks = catalog.instances(params.Service, namespace).flatMap((record) => catalog.checksOf(record))
  return answerChecks(call, catalog, checks, watch)
}
