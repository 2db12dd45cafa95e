import type { Snapshot } from './queries.ts'

interface Waiting<T> {
  readonly key: string
  readonly resolve: (found: Snapshot<T | undefined>) => void
  readonly reject: (error: unknown) => void
}

/** Maximum keys per query. */
const KEYS_MAX = 256
/** Maximum queries in flight; the other connections of the pool are for other work, commits above all. */
const QUESTIONS_MAX = 2

/**
 * Looks up records by key, many with one statement: keys requested while queries are in flight go with the next one.
 * A burst of unknown secrets thus costs a few statements, and no commit waits behind it.
 */
export class BatchedLoader<T> {
  private readonly find: (keys: readonly string[]) => Promise<Snapshot<ReadonlyMap<string, T>>>
  private waiting: Waiting<T>[] = []
  private questions = 0
  private isScheduled = false

  /** @param find looks up keys, all in one snapshot. */
  constructor(find: (keys: readonly string[]) => Promise<Snapshot<ReadonlyMap<string, T>>>) {
    this.find = find
  }

  load(key: string): Promise<Snapshot<T | undefined>> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject })
      this.schedule()
    })
  }

  /** Deferred, so that other lookups of this turn of the event loop join the query. */
  private schedule(): void {
    if (this.isScheduled || this.questions === QUESTIONS_MAX || this.waiting.length === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      void this.ask(this.waiting.splice(0, KEYS_MAX))
      this.schedule()
    })
  }

  private async ask(asked: readonly Waiting<T>[]): Promise<void> {
    this.questions += 1
    try {
      const { index, value } = await this.find(asked.map(({ key }) => key))
      for (const { key, resolve } of asked) resolve({ index, value: value.get(key) })
    } catch (error) {
      for (const { reject } of asked) reject(error)
    } finally {
      this.questions -= 1
      this.schedule()
    }
  }
}
