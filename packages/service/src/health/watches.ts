/** The changes that wake a read of health, and the index of its answer. Decisions: catalog records. */
import type { Catalog } from '@latchkey/catalog'
import type { Context, Watch } from '../handler.ts'
import { connectTopic, SERVICE_NAMES_TOPIC, type Store, serviceTopic, type Topic } from '../store/store.ts'

type CatalogTable = 'nodes' | 'services' | 'checks'

export function indexOfTables(store: Store, ...tables: readonly CatalogTable[]): number {
  return Math.max(...tables.map((table) => store.tableIndex(table)))
}

/**
 * The index of one service. From 1.0.7 on, it changes with its instances, their nodes and the checks of both. From 1.4.1
 * on, an absent service has the index at which any service last lost its last instance. In earlier versions, both have the
 * highest index of the tables. Spec 9.3 (1.0.7).
 * @param tables the tables that the answer shows.
 */
export function watchOfService(
  call: Pick<Context, 'service' | 'namespace'>,
  catalog: Catalog,
  name: string,
  ...tables: readonly CatalogTable[]
): Watch & { readonly index: number } {
  const { service, namespace } = call
  const own = service.profile.has('catalog.serviceIndex') ? catalog.serviceIndex(name, namespace) : undefined
  if (own !== undefined) return { topic: serviceTopic(namespace, name), index: own }
  return watchOfAbsent(call, catalog, ...tables)
}

function watchOfAbsent(
  { service }: Pick<Context, 'service'>,
  catalog: Catalog,
  ...tables: readonly CatalogTable[]
): Watch & { readonly index: number } {
  const { store, profile } = service
  const shared = indexOfTables(store, ...tables)
  if (!profile.has('catalog.serviceIndex')) return { topic: 'catalog', index: shared, filtered: true }
  const index = profile.has('catalog.extinctionIndex') ? (catalog.extinctionIndex() ?? shared) : shared
  return { topic: SERVICE_NAMES_TOPIC, index, filtered: true }
}

/** As {@link watchOfService}, for the connection endpoints of a service: its native instances and its proxies. */
export function watchOfConnect(
  call: Pick<Context, 'service' | 'namespace'>,
  catalog: Catalog,
  name: string,
  ...tables: readonly CatalogTable[]
): Watch & { readonly index: number } {
  const { namespace } = call
  const absent = watchOfAbsent(call, catalog, ...tables)
  if (absent.topic === 'catalog') return absent
  const index =
    catalog.connectIndex(name, namespace) ?? Math.max(catalog.connectLossIndex() ?? 0, absent.index)
  return { topic: connectTopic(namespace, name), index, filtered: true }
}

/** For a read of whole tables, which every change wakes: it keeps waiting while the answer stays the same. */
export function watchOfTables(topic: Topic, index: number): Watch {
  return { topic, index, filtered: true }
}
