import type { Answer, Call } from '../handler.ts'
import { answerChecks } from './check-list.ts'
import { indexOfTables, watchOfTables } from './watches.ts'

const ANY = 'any'

export function stateHandler(
  call: Call<'health.state'>,
): Answer<'health.state'> | Promise<Answer<'health.state'>> {
  const { params, query, service } = call
  const { store } = service
  const catalog = store.catalog()
  const watch = query['node-meta']
    ? watchOfTables('catalog', indexOfTables(store, 'nodes', 'checks'))
    : watchOfTables('checks', indexOfTables(store, 'checks'))
  const checks = catalog.checks().filter(({ Status }) => params.State === ANY || Status === params.State)
  return answerChecks(call, catalog, checks, watch)
}
