/** Duration of a lease, in milliseconds. */
export const LEASE_MS = 2_500
/** Added to the wait of other processes: the clocks of two machines may differ in speed by 3 %. */
export const LEASE_MARGIN_MS = 100

/** When a lease was requested, by `performance.now()` and by the wall clock. */
interface LeaseQuestion {
  readonly askedAt: number
  readonly askedAtWall: number
  /** The value of {@link Lease.drops} at that time. */
  readonly drops: number
}

/** The result of `latchkey_close_leases`: leases that must end before anything is committed. */
export interface Closing {
  /** Names this closing: leases of one epoch may have to end twice, if the database crashes in between. */
  readonly id: string
  readonly epoch: string
  /** Absent if only time can end the leases: a standby took over and may not know all of them. */
  readonly holders?: readonly LeaseHolder[]
}

export interface LeaseHolder {
  readonly id: string
  readonly process: string
  readonly beat: number
}

/**
 * The right to answer default reads from the local state. While it lasts, no other process commits. It runs from the
 * request, on the monotonic clock, which stops while a machine sleeps, and the wall clock. Decisions: read leases.
 */
export class Lease {
  /** Number of {@link drop}s. A drop voids any lease requested before it. */
  drops = 0
  private granted: LeaseQuestion | undefined

  ask(): LeaseQuestion {
    return { askedAt: performance.now(), askedAtWall: Date.now(), drops: this.drops }
  }

  grant(question: LeaseQuestion): void {
    if (question.drops === this.drops) this.granted = question
  }

  drop(): void {
    this.drops += 1
    this.granted = undefined
  }

  /** An expired lease stays expired even if the wall clock is set back. */
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
