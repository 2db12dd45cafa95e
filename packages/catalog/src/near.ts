/** Estimates round-trip times between nodes from their coordinates, and sorts for the option `near`. */
import type { CoordinateRecord } from './records/catalog-records.ts'

type Coordinate = CoordinateRecord['Coord']

/**
 * The estimated time between two nodes, in seconds: the distance of the vectors and both heights, plus both adjustments
 * if the sum stays positive.
 */
export function distance(a: Coordinate, b: Coordinate): number {
  const squares = a.Vec.map((component, i) => (component - (b.Vec[i] ?? 0)) ** 2)
  const raw = Math.sqrt(squares.reduce((sum, square) => sum + square, 0)) + a.Height + b.Height
  const adjusted = raw + a.Adjustment + b.Adjustment
  return adjusted > 0 ? adjusted : raw
}

/**
 * Sorts the elements of a list by the distance of their nodes from one node. The sort is stable; elements
 * without a coordinate come last. @param near the coordinate of that node; if absent, the order does not
 * change.
 */
export function sortByDistance<T>(
  elements: readonly T[],
  near: Coordinate | undefined,
  coordinateOf: (element: T) => Coordinate | undefined,
): readonly T[] {
  if (near === undefined) return elements
  return elements
    .map((element) => {
      const coordinate = coordinateOf(element)
      return { element, seconds: coordinate ? distance(near, coordinate) : Number.POSITIVE_INFINITY }
    })
    .sort((a, b) => (a.seconds === b.seconds ? 0 : a.seconds - b.seconds))
    .map(({ element }) => element)
}
