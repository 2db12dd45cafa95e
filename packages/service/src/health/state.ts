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
  // Checks show the name and the tags of their service.
  const index = indexOfTables(store, 'services', 'checks')
  const watch = watchOfTables(
    'catalog',
    query['node-meta'] ? Math.max(index, store.tableIndex('nodes')) : index,
  )
  const checks = catalog.checks().filter(({ Status }) => params.State === ANY || Status === params.State)
  return answerChecks(call, catalog, checks, watch)
}
