/** Answers that are written in one turn: a write takes some 20 µs, and in a burst, such as of waits that end, others must come between. */
const ANSWERS_PER_TURN = 256

/**
 * Defers work to the end of the turn of the event loop. Answers written one by one wake their readers each time;
 * batched, once. The wake-ups took more than a third of a read's processor time (`bench/README.md`).
 */
export class EndOfTurn {
  private waiting: (() => void)[] = []

  /** Resolves when this turn has no more requests to read, or after a few more turns in a burst, in calling order. */
  reached(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) setImmediate(() => this.flush())
    })
  }

  private flush(): void {
    for (const resolve of this.waiting.splice(0, ANSWERS_PER_TURN)) resolve()
    if (this.waiting.length > 0) setImmediate(() => this.flush())
  }
}
