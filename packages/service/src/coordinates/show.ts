import type { CoordinateRecord } from '@latchkey/acl'
import type { Coordinate } from '@latchkey/contract'

/** Coordinates as answers show them, of one segment if one is named. */
export function showCoordinates(
  records: readonly CoordinateRecord[],
  segment: string | undefined,
): Coordinate[] {
  return records
    .filter(({ Segment }) => segment === undefined || Segment === segment)
    .map(({ Node, Segment, Coord }) => ({ Node, Segment, Coord: { ...Coord, Vec: [...Coord.Vec] } }))
}
