import type { CoordinateRecord } from '@latchkey/acl'

/** A reported coordinate. */
export type CoordinateReport = Pick<CoordinateRecord, 'Node' | 'Segment' | 'Coord'>

/** Collects reports, and writes them from time to time. */
export interface CoordinateCollector {
  add(report: CoordinateReport): void
}
