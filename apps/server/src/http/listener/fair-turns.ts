type Task = () => void

interface Waiting {
  readonly task: Task
  readonly cost: number
}

/**
 * Spreads tasks over turns of the event loop, one client after the other. However many tasks arrive at once, turns remain
 * short, so new connections are soon accepted, and a client waits for one task of each other client instead of for all of
 * them.
 */
export class FairTurns {
  private readonly costPerTurn: number
  /** Waiting tasks by client. The client whose turn is next comes first. */
  private readonly waiting = new Map<string | undefined, Waiting[]>()
  private left: number
  private isScheduled = false

  /** @param costPerTurn a turn runs tasks until their costs reach this. */
  constructor(costPerTurn: number) {
    this.costPerTurn = costPerTurn
    this.left = costPerTurn
  }

  /**
   * Runs a task: at once, or when its client's turn comes.
   *
   * @param client `undefined` for a trusted proxy.
   * @param cost of the task, in the unit of the constructor's.
   */
  next(client: string | undefined, task: Task, cost = 1): void {
    if (!this.isScheduled) {
      this.isScheduled = true
      setImmediate(() => this.turn())
    }
    const its = this.waiting.get(client)
    if (its) its.push({ task, cost })
    else if (this.waiting.size > 0 || this.left <= 0) this.waiting.set(client, [{ task, cost }])
    else {
      this.left -= cost
      task()
    }
  }

  private turn(): void {
    this.left = this.costPerTurn
    this.isScheduled = this.waiting.size > 0
    if (this.isScheduled) setImmediate(() => this.turn())
    while (this.left > 0 && this.waiting.size > 0) this.runNext()
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
