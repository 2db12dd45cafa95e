/** Spreads tasks over turns of the event loop, first in, first out. */
export class Turns {
  private readonly perTurn: number
  private waiting: (() => void)[] = []

  constructor(perTurn: number) {
    this.perTurn = perTurn
  }

  /** Runs the task in the next turn that has room for it. */
  next(task: () => void): void {
    if (this.waiting.push(task) === 1) setImmediate(() => this.run())
  }

  private run(): void {
    const tasks = this.waiting
    const now = tasks.slice(0, this.perTurn)
    this.waiting = tasks.slice(this.perTurn)
    if (this.waiting.length > 0) setImmediate(() => this.run())
    for (const task of now) task()
  }
}
