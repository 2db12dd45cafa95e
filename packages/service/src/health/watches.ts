/** What wakes a read of health, and the index that it shows. Decisions: catalog records. */
import type { Catalog } from '@latchkey/acl'
import type { Context, Watch } from '../handler.ts'
import { SERVICE_NAMES_TOPIC, type Store, serviceTopic, type Topic } from '../store/store.ts'

/** Highest index of some tables. */
export function indexOfTables(store: Store, ...tables: readonly ('nodes' | 'services' | 'checks')[]): number {
  return Math.max(...tables.map((table) => store.tableIndex(table)))
}

/**
 * The number of one service from 1.0.7: it moves with its instances, their nodes and the checks of both. An absent service has the
 * number of the last one that lost its last instance. Before 1.0.7 all services share the highest. Spec 9.3 (1.0.7).
 */
export function watchOfService(
  { service, namespace }: Pick<Context, 'service' | 'namespace'>,
  catalog: Catalog,
  name: string,
): Watch {
  const { store, profile } = service
  const all = indexOfTables(store, 'nodes', 'services', 'checks')
  if (!profile.has('catalog.serviceIndex')) return { topic: 'catalog', index: all, filtered: true }
  const own = catalog.serviceIndex(name, namespace)
  if (own !== undefined) return { topic: serviceTopic(namespace, name), index: own }
  return { topic: SERVICE_NAMES_TOPIC, index: catalog.extinctionIndex() ?? all, filtered: true }
}

/** A read of whole tables: woken by every change, so it keeps waiting while the answer stays the same. */
export function watchOfTables(topic: Topic, index: number): Watch {
  return { topic, index, filtered: true }
}
