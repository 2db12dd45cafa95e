/** The virtual clock: a queue of future work, in an order that depends only on the scenario. */

/**
 * The order within one millisecond. Messages arrive before looks; a message sent in one millisecond is received
 * in the next at the earliest.
 */
export const PHASE = { schedule: 0, message: 1, election: 2, look: 3, work: 4 } as const
type Phase = (typeof PHASE)[keyof typeof PHASE]

interface QueueEntry {
  readonly atMs: number
  readonly phase: Phase
  /** Insertion order, which breaks ties of time and phase. */
  readonly sequence: number
  /**
   * Whether the entry can change something by itself. A timer that only looks is passive: when only passive entries
   * remain and each has looked since the last change, the simulation ends.
   */
  readonly isActive: boolean
  readonly run: () => void
}

/** A binary heap by time, phase and insertion order. */
export class EventQueue {
  private readonly heap: QueueEntry[] = []
  private sequence = 0
  private active = 0

  /** Number of queued entries that can change something by themselves. */
  get activeCount(): number {
    return this.active
  }

  push(atMs: number, phase: Phase, run: () => void, options: { passive?: boolean } = {}): void {
    const isActive = options.passive !== true
    const entry = { atMs, phase, sequence: this.sequence++, isActive, run }
    if (isActive) this.active += 1
    const heap = this.heap
    heap.push(entry)
    let i = heap.length - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      const above = heap[parent]
      if (above === undefined || !goesBefore(entry, above)) break
      heap[i] = above
      i = parent
    }
    heap[i] = entry
  }

  peek(): QueueEntry | undefined {
    return this.heap[0]
  }

  pop(): QueueEntry | undefined {
    const heap = this.heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined) return undefined
    if (first.isActive) this.active -= 1
    if (heap.length > 0) this.sink(last)
    return first
  }

  /** Puts an entry at the top, and sifts it down. */
  private sink(entry: QueueEntry): void {
    const heap = this.heap
    let i = 0
    for (;;) {
      const left = heap[2 * i + 1]
      const right = heap[2 * i + 2]
      if (left === undefined) break
      const isRight = right !== undefined && goesBefore(right, left)
      const child = isRight ? right : left
      if (!goesBefore(child, entry)) break
      heap[i] = child
      i = 2 * i + (isRight ? 2 : 1)
    }
    heap[i] = entry
  }
}

function goesBefore(a: QueueEntry, b: QueueEntry): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs
  if (a.phase !== b.phase) return a.phase < b.phase
  return a.sequence < b.sequence
}
