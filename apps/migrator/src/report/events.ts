/** The events of a report, with runs of batches folded. */
import { counted } from '../findings/finding.ts'
import type { TimelineEntry } from '../output/timeline.ts'
import { formatTime } from '../scenario/time.ts'

/** Collapses each run of batches into one line, because there may be a hundred thousand batches. */
export function foldBatches(timeline: readonly TimelineEntry[]): TimelineEntry[] {
  const folded: TimelineEntry[] = []
  let run: { first: TimelineEntry; count: number } | undefined
  for (const entry of timeline) {
    const previous = folded.at(-1)
    if (entry.kind !== 'batch' || entry.server === undefined) {
      run = undefined
      folded.push(entry)
    } else if (run !== undefined && previous?.server === entry.server) {
      run.count += 1
      folded[folded.length - 1] = {
        ...run.first,
        detail: `${counted(run.count, 'batch')} to ${formatTime(entry.at)}; the last: ${entry.detail}`,
      }
    } else {
      run = { first: entry, count: 1 }
      folded.push(entry)
    }
  }
  return folded
}
