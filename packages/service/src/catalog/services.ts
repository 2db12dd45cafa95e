import { type Answer, type Call, json } from '../handler.ts'
import { indexOfTables } from '../health/watches.ts'
import { isListed } from '../request/namespace.ts'
import { RowRights } from './rights.ts'
import { hasMeta } from './select.ts'

/** Names of services that the caller may read, with the tags of all their instances. */
export function servicesHandler(call: Call<'catalog.services'>): Answer<'catalog.services'> {
  const { query, service } = call
  const { store } = service
  const catalog = store.catalog()
  const meta = query['node-meta']
  const isByNode = meta !== undefined && meta.length > 0
  // Read before the content, so that the index is never newer than the content.
  const index = isByNode ? indexOfTables(store, 'nodes', 'services') : store.tableIndex('services')
  const rights = new RowRights(call)
  const tags = new Map<string, Set<string>>()
  for (const record of catalog.services()) {
    if (!isListed(call, record.Namespace) || !hasMeta(catalog.node(record.Node), meta)) continue
    if (!rights.service(record)) continue
    const known = tags.get(record.Service) ?? new Set()
    for (const tag of record.Tags) known.add(tag)
    tags.set(record.Service, known)
  }
  const answer = Object.fromEntries([...tags].map(([name, ofName]) => [name, [...ofName]]))
  return rights.mark(json(answer, { topic: isByNode ? 'catalog' : 'services', index, filtered: true }))
}
