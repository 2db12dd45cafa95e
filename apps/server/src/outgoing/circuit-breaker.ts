/**
 * A circuit breaker: after several failures without a success, requests are refused without an attempt, except for an
 * occasional probe. A success closes the circuit. Times are in milliseconds of a monotonic clock.
 */

const FAILURES_MAX = 5
const FAILURE_WINDOW_MS = 10_000
const PROBE_INTERVAL_MS = 1_000

export class CircuitBreaker {
  /** Instants of the last failures, since the last success. */
  private failures: number[] = []
  /** Set while the circuit is open. */
  private probedAt: number | undefined

  /**
   * Whether a request may be attempted now. While the circuit is open, one request per second is admitted as a probe.
   */
  admits(now: number): boolean {
    if (this.probedAt === undefined) return true
    if (now - this.probedAt < PROBE_INTERVAL_MS) return false
    this.probedAt = now
    return true
  }

  failed(now: number): void {
    this.failures = [...this.failures, now].slice(-FAILURES_MAX)
    const [oldest = now] = this.failures
    const isOpening = this.failures.length === FAILURES_MAX && now - oldest <= FAILURE_WINDOW_MS
    if (isOpening) this.probedAt ??= now
  }

  succeeded(): void {
    this.failures = []
    this.probedAt = undefined
  }
}
