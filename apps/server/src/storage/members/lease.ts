/** Duration of a lease, in milliseconds. */
export const LEASE_MS = 2_500

/**
 * The right of the only member to answer from its own state: no other process can have committed, because a joining
 * process waits until this right has ended.
 *
 * It counts from when the question was sent, by the monotonic clock and the wall clock: the former stops while a
 * machine sleeps, the latter may be set. A process that was paused finds its lease expired.
 */
export class Lease {
  private grantedAt = Number.NEGATIVE_INFINITY
  private grantedAtWall = Number.NEGATIVE_INFINITY

  /** @param askedAt when the question was sent, by `performance.now()`. */
  grant(askedAt: number): void {
    this.grantedAt = askedAt
    this.grantedAtWall = Date.now() - (performance.now() - askedAt)
  }

  revoke(): void {
    this.grantedAt = Number.NEGATIVE_INFINITY
  }

  isValid(): boolean {
    if (performance.now() - this.grantedAt >= LEASE_MS) return false
    const wallMs = Date.now() - this.grantedAtWall
    return wallMs > -LEASE_MS && wallMs < LEASE_MS
  }
}
