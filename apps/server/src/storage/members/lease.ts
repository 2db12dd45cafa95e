/** How long a process that was told it is alone may rely on it, in milliseconds. */
export const LEASE_MS = 2_500

/**
 * The right of a process that is alone to answer from its own state: nobody else can have committed anything, because
 * whoever joins waits until this right has ended.
 *
 * It counts from the moment the question was sent, by the monotonic clock and by the wall clock: the first stands still
 * while a machine sleeps, the second may be set. A process that was paused finds its lease over.
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
