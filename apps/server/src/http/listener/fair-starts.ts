/** Maximum number of requests that start in one turn of the event loop. A start takes about 0.1 ms, more in a new process. */
export const STARTS_PER_TURN_MAX = 16

type Start = () => void

/**
 * Spreads the starts of requests over turns of the event loop: at most {@link STARTS_PER_TURN_MAX} per turn, one client
 * after the other. However many requests arrive at once, turns remain short, so new connections are soon accepted, and a
 * client waits for one request of each other client instead of for all of them.
 */
export class FairStarts {
  /** Waiting requests by client. The client whose turn is next comes first. */
  private readonly waiting = new Map<string | undefined, Start[]>()
  private startsLeft = STARTS_PER_TURN_MAX
  private isScheduled = false

  /**
   * Starts a request: at once, or when its client's turn comes.
   *
   * @param client `undefined` for a trusted proxy.
   */
  next(client: string | undefined, start: Start): void {
    if (!this.isScheduled) {
      this.isScheduled = true
      setImmediate(() => this.turn())
    }
    const its = this.waiting.get(client)
    if (its) its.push(start)
    else if (this.waiting.size > 0 || this.startsLeft === 0) this.waiting.set(client, [start])
    else {
      this.startsLeft -= 1
      start()
    }
  }

  private turn(): void {
    this.startsLeft = STARTS_PER_TURN_MAX
    this.isScheduled = this.waiting.size > 0
    if (this.isScheduled) setImmediate(() => this.turn())
    while (this.startsLeft > 0 && this.waiting.size > 0) this.startNext()
  }

  private startNext(): void {
    for (const [client, starts] of this.waiting) {
      const start = starts.shift()
      // Moves the client behind the others.
      this.waiting.delete(client)
      if (starts.length > 0) this.waiting.set(client, starts)
      this.startsLeft -= 1
      start?.()
      return
    }
  }
}
