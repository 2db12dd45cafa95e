/** Selects rows of the catalog by query options. Decisions: catalog records. */
import { type Catalog, type NodeRecord, type ServiceRecord, sortByDistance } from '@latchkey/catalog'
import type { Context } from '../handler.ts'

/** The name of the server's own node in `near`. */
const OWN_NODE = '_agent'

/** The query options that select rows. Not every endpoint has all. */
export interface RowOptions {
  readonly near?: string | undefined
  readonly 'node-meta'?: readonly string[] | undefined
  readonly tag?: readonly string[] | undefined
  readonly filter?: string | undefined
}

/** Whether a node has all pairs of `node-meta`. A pair without a colon has an empty value. */
export function hasMeta(node: NodeRecord | undefined, pairs: readonly string[] | undefined): boolean {
  if (!pairs?.length) return true
  return pairs.every((pair) => {
    const colon = pair.indexOf(':')
    const [key, value] = colon < 0 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)]
    return node?.Meta != null && Object.hasOwn(node.Meta, key) && node.Meta[key] === value
  })
}

function hasTags({ Tags }: ServiceRecord, tags: readonly string[] | undefined): boolean {
  if (!tags?.length) return true
  return tags.every((tag) => Tags.some((own) => own.toLowerCase() === tag.toLowerCase()))
}

/** The instances that tags and node-meta select. Before 1.3.0, only the first tag is used. */
export function selectInstances(
  { service }: Pick<Context, 'service'>,
  catalog: Catalog,
  instances: readonly ServiceRecord[],
  options: RowOptions,
): readonly ServiceRecord[] {
  const { tag, 'node-meta': meta } = options
  const tags = service.profile.has('catalog.severalTags') ? tag : tag?.slice(0, 1)
  if (!tags?.length && !meta?.length) return instances
  return instances.filter((record) => hasTags(record, tags) && hasMeta(catalog.node(record.Node), meta))
}

export function sortNear<T>(
  { service }: Pick<Context, 'service'>,
  catalog: Catalog,
  elements: readonly T[],
  { near, nodeOf }: { readonly near: string | undefined; readonly nodeOf: (element: T) => string },
): readonly T[] {
  if (near === undefined) return elements
  const from = catalog.coordinate(near === OWN_NODE ? service.nodeName : near)?.Coord
  return sortByDistance(elements, from, (element) => catalog.coordinate(nodeOf(element))?.Coord)
}
