import type { Answer, Call } from '../handler.ts'
import { answerChecks } from './check-list.ts'
import { indexOfTables, watchOfService, watchOfTables } from './watches.ts'

export function serviceChecksHandler(
  call: Call<'health.checks'>,
): Answer<'health.checks'> | Promise<Answer<'health.checks'>> {
  const { params, query, namespace, service } = call
  const catalog = service.store.catalog()
  const watch = query['node-meta']
    ? {
        ...watchOfService(call, catalog, params.Service, 'nodes', 'services', 'checks'),
        filtered: true as const,
      }
    : watchOfTables('checks', indexOfTables(service.store, 'checks'))
  const checks = catalog.instances(params.Service, namespace).flatMap((record) => catalog.checksOf(record))
  return answerChecks(call, catalog, checks, watch)
}
