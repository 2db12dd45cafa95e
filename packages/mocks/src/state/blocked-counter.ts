/** Counts waiting blocking queries, so that a test can act once they wait. */
import type { Clock } from '@latchkey/acl'
import type { Sleeper } from '@latchkey/service'

export class BlockedCounter implements Sleeper {
  private readonly clock: Clock & Sleeper
  private waiting = 0
  private readonly listeners = new Set<() => void>()
  private isUncounted = false

  constructor(clock: Clock & Sleeper) {
    this.clock = clock
  }

  /** Starts a wait that is not a client's: it is not counted, and ends only with a change. */
  uncounted<T>(start: () => T): T {
    this.isUncounted = true
    try {
      return start()
    } finally {
      this.isUncounted = false
    }
  }

  now(): number {
    return this.clock.now()
  }

  after(ms: number, callback: () => void): () => void {
    if (this.isUncounted) return () => {}
    this.waiting += 1
    for (const listener of this.listeners) listener()
    let isOver = false
    const end = () => {
      if (!isOver) this.waiting -= 1
      isOver = true
    }
    const cancel = this.clock.after(ms, () => {
      end()
      callback()
    })
    return () => {
      end()
      cancel()
    }
  }

  /** Resolves once at least `count` queries wait at the same time. */
  async untilWaiting(count: number): Promise<void> {
    if (this.waiting >= count) return
    await new Promise<void>((resolve) => {
      const check = () => {
        if (this.waiting < count) return
        this.listeners.delete(check)
        resolve()
      }
      this.listeners.add(check)
    })
  }
}
