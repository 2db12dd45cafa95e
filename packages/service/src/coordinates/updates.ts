/** Collects the coordinates that agents report, and writes them in batches, because each node reports every few seconds. */
import { coordinateKey } from '@latchkey/acl'
import { decideAndCommit } from '../store/commit.ts'
import type { Change, Store } from '../store/store.ts'
import type { CoordinateCollector, CoordinateReport } from './report.ts'

/** Maximum number of coordinates in one commit. */
const BATCH_SIZE_MAX = 128
/** Maximum number of pending coordinates. Those of further nodes are dropped until the pending ones are written. */
const WAITING_MAX = 10_000

export class CoordinateUpdates implements CoordinateCollector {
  private readonly waiting = new Map<string, CoordinateReport>()

  /** Keeps a report until {@link CoordinateUpdates.write}, replacing an earlier one. */
  add(report: CoordinateReport): void {
    const key = coordinateKey(report)
    if (this.waiting.size < WAITING_MAX || this.waiting.has(key)) this.waiting.set(key, report)
  }

  /** Writes the pending coordinates. Coordinates that cannot be written stay pending. */
  async write(store: Store): Promise<void> {
    const reports = [...this.waiting]
    for (let start = 0; start < reports.length; start += BATCH_SIZE_MAX) {
      const batch = reports.slice(start, start + BATCH_SIZE_MAX)
      await writeCoordinates(
        store,
        batch.map(([, report]) => report),
      )
      for (const [key, report] of batch) if (this.waiting.get(key) === report) this.waiting.delete(key)
    }
  }
}

/** Writes the coordinates of registered nodes that differ from the stored ones. */
export function writeCoordinates(store: Store, reports: readonly CoordinateReport[]): Promise<void> {
  return decideAndCommit(store, () => ({
    changes: reports.flatMap((report) => changeOf(report, store) ?? []),
    answer: () => {},
  }))
}

function changeOf(report: CoordinateReport, store: Store): Change | undefined {
  const catalog = store.catalog()
  const node = catalog.node(report.Node)
  const stored = catalog.coordinate(report.Node, report.Segment)
  if (!node || (stored && JSON.stringify(stored.Coord) === JSON.stringify(report.Coord))) return undefined
  const record = { ...report, Node: node.Node, CreateIndex: 0, ModifyIndex: 0 }
  return { table: 'coordinates', op: 'put', record, expect: undefined }
}
