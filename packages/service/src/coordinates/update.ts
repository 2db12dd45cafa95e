import { AclError, type Body, limits } from '@latchkey/contract'
import { requireNode } from '../catalog/rights.ts'
import type { Answer, Call } from '../handler.ts'
import type { CoordinateReport } from './report.ts'
import { writeCoordinates } from './updates.ts'

/** Accepts the coordinate of a node. Decisions: coordinates. */
export async function updateCoordinateHandler(
  call: Call<'coordinates.update'>,
): Promise<Answer<'coordinates.update'>> {
  const { body, service } = call
  if (body.Datacenter && body.Datacenter !== service.datacenter)
    throw new AclError('datacenter_unknown', 'No path to datacenter', { field: 'Datacenter' })
  const report = reportOf(body)
  requireNode(call, service.store.catalog().nodeName(report.Node), 'write', report.Node)
  if (service.coordinateUpdates) service.coordinateUpdates.add(report)
  else await writeCoordinates(service.store, [report])
  return { body: { kind: 'text', text: '' } }
}

/** @throws AclError `field_required`, `field_invalid`. */
function reportOf({ Node, Segment = '', Coord }: Body<'coordinates.update'>): CoordinateReport {
  if (Node === '') throw new AclError('field_required', 'Must provide node', { field: 'Node' })
  const { Vec, Adjustment = 0, Height = 0 } = Coord
  const whole = { Vec, Error: Coord.Error ?? 0, Adjustment, Height }
  const numbers = [...Vec, whole.Error, Adjustment, Height]
  if (!numbers.every(Number.isFinite))
    throw new AclError('field_invalid', 'invalid coordinate', { field: 'Coord' })
  if (Vec.length !== limits.COORDINATE_DIMENSIONS_MAX)
    throw new AclError('field_invalid', 'incompatible coordinate', { field: 'Coord.Vec' })
  return { Node, Segment, Coord: whole }
}
