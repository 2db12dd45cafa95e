import type { CoordinateRecord } from '@latchkey/acl'

/** What was reported of a node. */
export type CoordinateReport = Pick<CoordinateRecord, 'Node' | 'Segment' | 'Coord'>

/** Takes reports, and writes them from time to time. */
export interface CoordinateCollector {
  add(report: CoordinateReport): void
}
