import type { Answer, Call } from '../handler.ts'
import { nodeTopic } from '../store/store.ts'
import { answerChecks } from './check-list.ts'
import { indexOfTables } from './watches.ts'

export function nodeHealthHandler(
  call: Call<'health.node'>,
): Answer<'health.node'> | Promise<Answer<'health.node'>> {
  const { params, service } = call
  const catalog = service.store.catalog()
  const watch = {
    topic: nodeTopic(params.Node),
    // Checks show the name and the tags of their service.
    index: indexOfTables(service.store, 'services', 'checks'),
    filtered: true,
  } as const
  return answerChecks(call, catalog, catalog.checksOn(params.Node), watch)
}
