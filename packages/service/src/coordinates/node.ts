import { nodeKey } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { requireNode } from '../catalog/rights.ts'
import { type Answer, type Call, json, missing } from '../handler.ts'
import { showCoordinates } from './show.ts'

/** Coordinates of one node. */
export function readCoordinateHandler(call: Call<'coordinates.node'>): Answer<'coordinates.node'> {
  const { params, query, service } = call
  const catalog = service.store.catalog()
  requireNode(call, catalog.nodeName(params.Node), 'read', params.Node)
  const key = nodeKey(params.Node)
  const ofNode = catalog.coordinates().filter(({ Node }) => nodeKey(Node) === key)
  const shown = showCoordinates(ofNode, query.segment)
  const watch = { topic: 'coordinates', filtered: true } as const
  return shown.length === 0 ? missing(new AclError('not_found', 'No coordinate'), watch) : json(shown, watch)
}
