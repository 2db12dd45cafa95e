import { afterTurn, type Turns } from '../turns.ts'

type Task = () => void

type Waiting = { readonly task: Task; readonly cost: number }

interface FairQueueOptions {
  /** A turn starts no task after this time. Default: no limit. */
  readonly msPerTurn?: number
  /** Whether tasks run at once while the turn has room for them, or in a later turn. Default: false. */
  readonly startsAtOnce?: boolean
  readonly now?: () => number
}

/**
 * Spreads tasks over turns of the event loop, taking clients in turn. However many tasks arrive at once, turns remain
 * short, so new connections are accepted soon, and a client waits for one task of each other client instead of all of them.
 */
export class FairQueue implements Turns {
  private readonly costPerTurn: number
  private readonly msPerTurn: number
  private readonly startsAtOnce: boolean
  private readonly now: () => number
  /** Waiting tasks by client. The client whose turn is next comes first. */
  private readonly waiting = new Map<string | undefined, Waiting[]>()
  private left: number
  private isScheduled = false
  private since = 0

  /** @param costPerTurn a turn runs tasks until their costs reach this. */
  constructor(costPerTurn = 1, options: FairQueueOptions = {}) {
    this.costPerTurn = costPerTurn
    this.msPerTurn = options.msPerTurn ?? Number.POSITIVE_INFINITY
    this.startsAtOnce = options.startsAtOnce ?? false
    this.now = options.now ?? (() => performance.now())
    this.left = costPerTurn
  }

  /** Whether a task would run at once. A task that only costs time may then run directly instead. */
  isFree(): boolean {
    this.begin()
    return this.startsAtOnce && this.waiting.size === 0 && this.hasRoom()
  }

  /**
   * Runs a task: at once, or when its client's turn comes.
   * @param client `undefined` for a trusted proxy.
   * @param cost of the task, in the unit of the constructor's.
   */
  run(client: string | undefined, task: Task, cost = 1): void {
    if (this.isFree()) {
      this.left -= cost
      task()
      return
    }
    const its = this.waiting.get(client)
    if (its) its.push({ task, cost })
    else this.waiting.set(client, [{ task, cost }])
  }

  next(client?: string, cost?: number): Promise<void> {
    return new Promise((resolve) => this.run(client, resolve, cost))
  }

  private begin(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    this.since = this.now()
    afterTurn(() => this.turn())
  }

  private hasRoom(): boolean {
    return this.left > 0 && this.now() - this.since < this.msPerTurn
  }

  private turn(): void {
    this.left = this.costPerTurn
    this.since = this.now()
    this.isScheduled = this.waiting.size > 0
    if (this.isScheduled) afterTurn(() => this.turn())
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
