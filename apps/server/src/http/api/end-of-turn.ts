/**
 * Maximum answers written in one turn. A write takes some 20 µs, and other work must be able to interrupt a burst, for
 * example when many waits end.
 */
const ANSWERS_PER_TURN = 256

/**
 * Defers work to the end of the event-loop turn. Answers written one by one wake their reader each time, and a batch
 * wakes it once. The wake-ups took more than a third of a read's processor time (`bench/README.md`).
 */
export class EndOfTurn {
  private waiting: (() => void)[] = []

  /** Resolves, in calling order, when this turn has no more requests to read, or in a burst a few turns later. */
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
