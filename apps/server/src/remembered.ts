/**
 * Caches the answer to a query, including a failure, up to a maximum age; readers share the query in flight.
 */
export class Remembered<T> {
  private readonly ask: () => Promise<T>
  private readonly msMax: number
  private askedAt = Number.NEGATIVE_INFINITY
  private answer: Promise<T> | undefined
  private isAsking = false

  /** @param msMax maximum age of an answer, counted from its query. */
  constructor(ask: () => Promise<T>, msMax: number) {
    this.ask = ask
    this.msMax = msMax
  }

  get(): Promise<T> {
    if (this.answer && (this.isAsking || performance.now() - this.askedAt < this.msMax)) return this.answer
    this.isAsking = true
    this.askedAt = performance.now()
    const answer = this.ask().finally(() => {
      this.isAsking = false
    })
    this.answer = answer
    return answer
  }
}
