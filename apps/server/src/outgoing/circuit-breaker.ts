/** After several failures in a row, requests are refused, except for an occasional probe. */

const FAILURES_MAX = 5
const FAILURE_WINDOW_MS = 10_000
const PROBE_INTERVAL_MS = 1_000

export class CircuitBreaker {
  /** Instants of the last failures, since the last success. */
  private failures: number[] = []
  private probedAt: number | undefined

  /** Whether a request may be attempted. While the circuit is open, one per second is admitted as a probe. */
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
