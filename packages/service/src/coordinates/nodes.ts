import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { showCoordinates } from './show.ts'

/** Coordinates of the nodes that the caller may read. */
export function listCoordinatesHandler(call: Call<'coordinates.nodes'>): Answer<'coordinates.nodes'> {
  const rights = new RowRights(call)
  const visible = call.service.store
    .catalog()
    .coordinates()
    .filter(({ Node }) => rights.node(Node))
  return rights.mark(json(showCoordinates(visible, call.query.segment), { topic: 'coordinates' }))
}
