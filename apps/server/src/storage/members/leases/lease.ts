/** Duration of a lease, in milliseconds. */
export const LEASE_MS = 2_500
/** What others wait besides that: clocks of two machines may differ in speed by 3 %. */
export const LEASE_MARGIN_MS = 100

/** When a lease was asked for, by `performance.now()` and by the wall clock. */
interface LeaseQuestion {
  readonly askedAt: number
  readonly askedAtWall: number
  /** The value of {@link Lease.drops} then. */
  readonly drops: number
}

/** What `latchkey_close_leases` answers: leases that must end before anything is committed. */
export interface Closing {
  /** Names this closing: leases of one epoch may have to end twice, if the database crashes in between. */
  readonly id: string
  readonly epoch: string
  /** Absent if only time tells: a standby took over, and may not have heard of all leases. */
  readonly holders?: readonly LeaseHolder[]
}

export interface LeaseHolder {
  readonly id: string
  readonly process: string
  /** The number of its last heartbeat. */
  readonly beat: number
}

/**
 * The right of this process to answer default reads from its own state: no process commits while it lasts, except this one
 * if it is the only member. Decisions: read leases.
 *
 * It counts from when it was asked for, by the monotonic clock and the wall clock: the former stops while a machine sleeps,
 * the latter may be set. A process that was paused finds its lease expired.
 */
export class Lease {
  /** Number of {@link drop}s. A lease that was asked for before one is void. */
  drops = 0
  private granted: LeaseQuestion | undefined

  /** To be taken before the question is sent. */
  ask(): LeaseQuestion {
    return { askedAt: performance.now(), askedAtWall: Date.now(), drops: this.drops }
  }

  grant(question: LeaseQuestion): void {
    if (question.drops === this.drops) this.granted = question
  }

  /** Ends the lease, and voids what is being asked for. */
  drop(): void {
    this.drops += 1
    this.granted = undefined
  }

  /** A lease that has run out does not return when the wall clock is set. */
  isValid(): boolean {
    const { granted } = this
    if (granted === undefined) return false
    const isOver =
      performance.now() - granted.askedAt >= LEASE_MS ||
      Math.abs(Date.now() - granted.askedAtWall) >= LEASE_MS
    if (isOver) this.granted = undefined
    return !isOver
  }
}
