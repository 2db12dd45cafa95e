/** The virtual clock: a queue of future work, in an order that depends only on the scenario. */

/** The order within one millisecond. A message is received in the next millisecond at the earliest. */
export const PHASE = { schedule: 0, message: 1, election: 2, look: 3, work: 4 } as const
type Phase = (typeof PHASE)[keyof typeof PHASE]

interface QueueEntry {
  readonly atMs: number
  readonly phase: Phase
  readonly sequence: number
  /** A timer that only looks is passive: when all have looked since the last change, the simulation ends. */
  readonly isActive: boolean
  readonly run: () => void
}

export class EventQueue {
  private readonly entries: QueueEntry[] = []
  private sequence = 0
  private active = 0

  get activeCount(): number {
    return this.active
  }

  push(atMs: number, phase: Phase, run: () => void, options: { passive?: boolean } = {}): void {
    const isActive = options.passive !== true
    const entry = { atMs, phase, sequence: this.sequence++, isActive, run }
    if (isActive) this.active += 1
    let low = 0
    for (let high = this.entries.length; low < high; ) {
      const middle = (low + high) >> 1
      const other = this.entries[middle]
      if (other !== undefined && goesBefore(entry, other)) low = middle + 1
      else high = middle
    }
    this.entries.splice(low, 0, entry)
  }

  peek(): QueueEntry | undefined {
    return this.entries.at(-1)
  }

  pop(): QueueEntry | undefined {
    const first = this.entries.pop()
    if (first?.isActive) this.active -= 1
    return first
  }
}

function goesBefore(a: QueueEntry, b: QueueEntry): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs
  if (a.phase !== b.phase) return a.phase < b.phase
  return a.sequence < b.sequence
}
