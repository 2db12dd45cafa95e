interface Waiting<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

const ITEMS_MAX = 256
/** Maximum statements in flight. The pool's other connections are for other work, above all commits. */
const STATEMENTS_MAX = 2

/**
 * Sends many items per statement: those added while statements are in flight go into the next one. A burst of unknown
 * secrets therefore takes a few statements and delays no commit.
 */
export class Batches<Item, Answer> {
  private readonly send: (items: readonly Item[]) => Promise<readonly Answer[]>
  private waiting: Waiting<Item, Answer>[] = []
  private statements = 0
  private isScheduled = false

  /** @param send answers the items, in their order. */
  constructor(send: (items: readonly Item[]) => Promise<readonly Answer[]>) {
    this.send = send
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject })
      this.schedule()
    })
  }

  /** Deferred, so that other items of this turn of the event loop join the statement. */
  private schedule(): void {
    if (this.isScheduled || this.statements === STATEMENTS_MAX || this.waiting.length === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      void this.sendAll(this.waiting.splice(0, ITEMS_MAX))
      this.schedule()
    })
  }

  private async sendAll(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    this.statements += 1
    try {
      const answers = await this.send(batch.map(({ item }) => item))
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as Answer)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.statements -= 1
      this.schedule()
    }
  }
}
