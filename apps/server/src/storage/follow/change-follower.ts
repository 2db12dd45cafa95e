import type { DatabaseClock } from '../members/database-clock.ts'
import type { Queries } from '../read/queries.ts'
import type { LocalState } from './local-state.ts'
import type { ChangeBatch } from './read-changes.ts'

/** A failure that takes longer means an unresponsive database, not one broken connection. */
const PATIENCE_MS = 500

/** Below every index, so the answer is a reset. */
const FROM_THE_START = -1

interface Answer {
  readonly batch: ChangeBatch
  readonly after: number
  readonly askedAt: number
}

interface ChangeFollowerParts {
  readonly memberId: string
  readonly queries: Queries
  readonly state: LocalState
  readonly clock: DatabaseClock
  readonly commits: { readonly isBusy: boolean }
  /** Makes this process a member of the group again. Rejects if it cannot. */
  readonly rejoin: () => Promise<void>
  /** Reload the whole directory at every change, for `LATCHKEY_CACHE_BYTES=0`. */
  readonly isReloading: boolean
}

/**
 * Keeps the local state current. Every poll for changes also confirms that there are no others, so concurrent readers
 * share one: a round that began after their requests serves them all (read-index batching).
 *
 * Only a member may apply what it reads. A fenced process joins first: otherwise it could show a commit that its
 * author, a sole member with a lease, has not applied yet. Decisions: read leases.
 */
export class ChangeFollower {
  private readonly parts: ChangeFollowerParts
  private running: Promise<void> | undefined
  private next: Promise<void> | undefined

  /** Start of the last successful round, when the state was current, by `performance.now()`. */
  currentAt = Number.NEGATIVE_INFINITY
  failedAt = Number.NEGATIVE_INFINITY
  rounds = 0
  private heard = 0

  constructor(parts: ChangeFollowerParts) {
    this.parts = parts
  }

  /** Reads the whole directory before this process becomes a member; it does not answer requests yet. */
  async open(): Promise<void> {
    this.takeWhole(await this.ask(FROM_THE_START, true))
  }

  /** Reads the whole directory and drops everything else, after the database has lost commits. */
  async reload(): Promise<void> {
    this.takeWhole(await this.askAsMember(() => FROM_THE_START, true))
  }

  /** Makes the local state at least as new as the database is now. @throws AclError `unavailable` */
  sync(): Promise<void> {
    if (!this.running) {
      this.running = this.round().finally(() => {
        this.running = undefined
      })
      return this.running
    }
    this.next ??= this.roundAfter(this.running)
    return this.next
  }

  /** Reaches an index of the database. @param askedAt a time at which it had no later index. */
  async reach(index: number, askedAt?: number): Promise<void> {
    while (this.parts.state.appliedIndex < index) await this.sync()
    if (askedAt !== undefined) this.currentAt = Math.max(this.currentAt, askedAt)
  }

  /** Records that another query got no answer from the database. */
  noteFailure(): void {
    this.failedAt = performance.now()
  }

  /**
   * The database has this index, or notifications may have been missed. The answer of a commit in flight, which
   * probably caused it, will say so; the poll waits for it.
   */
  hear(index: number | undefined): void {
    this.heard = Math.max(this.heard, index ?? this.parts.state.appliedIndex + 1)
    if (this.parts.commits.isBusy || this.heard <= this.parts.state.appliedIndex) return
    this.heard = 0
    // Readers poll for themselves. A failure is recorded here, and the next heartbeat polls anyway.
    this.sync().catch(() => {})
  }

  /** One more round. Readers that have waited for an unresponsive database do not wait a second time. */
  private async roundAfter(running: Promise<void>): Promise<void> {
    const waitingSince = performance.now()
    try {
      await running
    } catch (error) {
      if (performance.now() - waitingSince > PATIENCE_MS) {
        this.next = undefined
        throw error
      }
    }
    this.next = undefined
    return this.sync()
  }

  private async round(): Promise<void> {
    try {
      const { batch, after, askedAt } = await this.askAsMember(
        () => this.parts.state.appliedIndex,
        this.parts.isReloading,
      )
      if (batch.index < after) await this.recover(after)
      else this.parts.state.applyBatch(batch, this.parts.isReloading)
      this.currentAt = Math.max(this.currentAt, askedAt)
      this.rounds += 1
    } catch (error) {
      this.noteFailure()
      throw error
    }
  }

  /** Asks again after joining, if this process was not a member. */
  private async askAsMember(after: () => number, isWhole: boolean): Promise<Answer> {
    for (;;) {
      const answer = await this.ask(after(), isWhole)
      if (answer.batch.isMember) return answer
      await this.parts.rejoin()
    }
  }

  private async ask(after: number, isWhole: boolean): Promise<Answer> {
    const askedAt = performance.now()
    const batch = await this.parts.queries.changes({ after, isWhole, memberId: this.parts.memberId })
    this.parts.clock.measure(batch.now, askedAt, performance.now())
    return { batch, after, askedAt }
  }

  private takeWhole({ batch, askedAt }: Answer): void {
    if (batch.reset) this.parts.state.reset(batch.index, batch.tables, batch.records)
    this.currentAt = askedAt
  }

  /** A standby without the last commits took over: raises its index above the last one seen, and reloads. */
  private async recover(seen: number): Promise<void> {
    await this.parts.queries.raise(seen)
    await this.reload()
  }
}
