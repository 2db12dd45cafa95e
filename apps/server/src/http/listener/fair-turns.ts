type Task = () => void

interface Waiting {
  readonly task: Task
  readonly cost: number
}

interface FairTurnsOptions {
  readonly msPerTurn?: number
  /** Milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}

/**
 * Spreads tasks over turns of the event loop, taking clients in turn. However many tasks arrive at once, turns remain
 * short, so new connections are accepted soon, and a client waits for one task of each other client instead of all of
 * them.
 */
export class FairTurns {
  private readonly costPerTurn: number
  /** Waiting tasks by client. The client whose turn is next comes first. */
  private readonly waiting = new Map<string | undefined, Waiting[]>()
  private readonly msPerTurn: number
  private readonly now: () => number
  private left: number
  private isScheduled = false
  /** When this turn ran its first task. */
  private since = 0

  /**
   * @param costPerTurn a turn runs tasks until their costs reach this.
   * @param options.msPerTurn a turn starts no task after this time. Default: no limit.
   */
  constructor(
    costPerTurn: number,
    { msPerTurn = Number.POSITIVE_INFINITY, now = () => performance.now() }: FairTurnsOptions = {},
  ) {
    this.costPerTurn = costPerTurn
    this.msPerTurn = msPerTurn
    this.now = now
    this.left = costPerTurn
  }

  /**
   * Whether a task passed to `next` now would run at once. A task that only costs time may then run directly instead.
   */
  isFree(): boolean {
    this.begin()
    return this.waiting.size === 0 && this.hasRoom()
  }

  /**
   * Runs a task: at once, or when its client's turn comes.
   *
   * @param client `undefined` for a trusted proxy.
   * @param cost of the task, in the unit of the constructor's.
   */
  next(client: string | undefined, task: Task, cost = 1): void {
    this.begin()
    const its = this.waiting.get(client)
    if (its) its.push({ task, cost })
    else if (this.waiting.size > 0 || !this.hasRoom()) this.waiting.set(client, [{ task, cost }])
    else {
      this.left -= cost
      task()
    }
  }

  private begin(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    this.since = this.now()
    setImmediate(() => this.turn())
  }

  private hasRoom(): boolean {
    return this.left > 0 && this.now() - this.since < this.msPerTurn
  }

  private turn(): void {
    this.left = this.costPerTurn
    this.since = this.now()
    this.isScheduled = this.waiting.size > 0
    if (this.isScheduled) setImmediate(() => this.turn())
    while (this.waiting.size > 0 && this.hasRoom()) this.runNext()
  }

  private runNext(): void {
    for (const [client, its] of this.waiting) {
      const next = its.shift()
      // Moves the client behind the others.
      this.waiting.delete(client)
      if (its.length > 0) this.waiting.set(client, its)
      this.left -= next?.cost ?? 0
      next?.task()
      return
    }
  }
}
