/**
 * A fact that is asked for at most once in a while, however often it is read: readers share the question in flight, and
 * its answer, a failure too, until it is too old.
 */
export class Remembered<T> {
  private readonly ask: () => Promise<T>
  private readonly msMax: number
  private askedAt = Number.NEGATIVE_INFINITY
  private answer: Promise<T> | undefined
  private isAsking = false

  /** @param msMax age of the oldest answer that is given, counted from its question. */
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
