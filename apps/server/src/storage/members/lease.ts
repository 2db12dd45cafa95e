/** Duration of a lease, in milliseconds. */
export const LEASE_MS = 2_500

/** When a lease was asked for. */
interface LeaseQuestion {
  /** By `performance.now()`. */
  readonly askedAt: number
  readonly askedAtWall: number
}

/**
 * The right of the only member to answer from its own state: no other process can have committed, because a joining
 * process waits until this right has ended.
 *
 * It counts from when the question was sent, by the monotonic clock and the wall clock: the former stops while a
 * machine sleeps, the latter may be set. A process that was paused finds its lease expired.
 */
export class Lease {
  private granted: LeaseQuestion | undefined

  /** Reads both clocks, before the question is sent: the machine may sleep until the answer. */
  ask(): LeaseQuestion {
    return { askedAt: performance.now(), askedAtWall: Date.now() }
  }

  grant(question: LeaseQuestion): void {
    this.granted = question
  }

  revoke(): void {
    this.granted = undefined
  }

  isValid(): boolean {
    const { granted } = this
    if (granted === undefined || performance.now() - granted.askedAt >= LEASE_MS) return false
    return Math.abs(Date.now() - granted.askedAtWall) < LEASE_MS
  }
}
