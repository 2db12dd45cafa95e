/**
 * Gathers what is done within a turn of the event loop, to go on with all of it at the turn's end. Answers that leave
 * one after the other wake the processes that read them once, and not each time anew while they doze off in between:
 * that took more than a third of a read's processor time (`bench/README.md`).
 */
export class EndOfTurn {
  private waiting: (() => void)[] = []

  /** Resolves when this turn has no more requests to read; in the order in which it was asked for. */
  reached(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) setImmediate(() => this.goOn())
    })
  }

  private goOn(): void {
    for (const resolve of this.waiting.splice(0)) resolve()
  }
}
