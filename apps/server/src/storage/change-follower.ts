import type { LocalState } from './local-state.ts'
import type { Queries } from './queries.ts'

/** Below every index: the answer is a reset. */
const FROM_THE_START = -1

/**
 * Keeps the local state up with the database. Every question "what is new?" is also the confirmation that nothing else
 * is, so readers who want one share it: a round that began after they asked serves them all (read-index batching).
 */
export class ChangeFollower {
  private readonly queries: Queries
  private readonly state: LocalState
  private readonly isReloading: boolean
  private running: Promise<void> | undefined
  private next: Promise<void> | undefined

  /** When the last successful round began: the state is known to have been current then. `performance.now()`. */
  currentAt = Number.NEGATIVE_INFINITY
  /** When the last round failed, the same clock. */
  failedAt = Number.NEGATIVE_INFINITY
  /** Told the database's clock, in milliseconds since the epoch, with when the question and the answer passed by. */
  onDatabaseTime: (databaseMs: number, askedAt: number, answeredAt: number) => void = () => {}
  rounds = 0

  /** @param isReloading read the whole directory at every change, for `LATCHKEY_CACHE=off`. */
  constructor(queries: Queries, state: LocalState, { isReloading = false } = {}) {
    this.queries = queries
    this.state = state
    this.isReloading = isReloading
  }

  /** Reads the whole directory, for the first time. */
  async start(): Promise<void> {
    const askedAt = performance.now()
    const batch = await this.queries.changes(FROM_THE_START, true)
    this.onDatabaseTime(batch.now, askedAt, performance.now())
    this.state.applyBatch(batch)
    this.currentAt = askedAt
  }

  /**
   * Makes the local state at least as new as the database is now.
   *
   * @throws AclError `unavailable`
   */
  sync(): Promise<void> {
    if (!this.running) {
      this.running = this.round().finally(() => {
        this.running = undefined
      })
      return this.running
    }
    if (!this.next) {
      const nextRound = () => {
        this.next = undefined
        return this.sync()
      }
      this.next = this.running.then(nextRound, nextRound)
    }
    return this.next
  }

  /** Makes the local state at least as new as an index that the database is known to have. */
  async reach(index: number): Promise<void> {
    while (this.state.appliedIndex < index) await this.sync()
  }

  private async round(): Promise<void> {
    const askedAt = performance.now()
    const after = this.state.appliedIndex
    try {
      const batch = await this.queries.changes(after, this.isReloading)
      this.onDatabaseTime(batch.now, askedAt, performance.now())
      this.state.applyBatch(batch, this.isReloading)
      this.currentAt = askedAt
      this.rounds += 1
    } catch (error) {
      this.failedAt = performance.now()
      throw error
    }
  }
}
