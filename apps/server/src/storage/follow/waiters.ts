import type { Topic, WaitOutcome } from '@latchkey/service'

/**
 * Maximum waits that end in one turn of the event loop, so that other requests run between the turns. An answer takes
 * 50 to 100 µs, but a long list takes tens of milliseconds: a burst begins with few waits per turn, and adapts to the
 * time that they took.
 */
const WOKEN_PER_TURN_MAX = 128
const WOKEN_AT_FIRST = 8
/** Time that the answers of one turn may take. */
const WOKEN_MS_MAX = 10

/** All waits of this process, by topic. There may be tens of thousands (MEM-02). */
export class Waiters {
  private readonly byTopic = new Map<Topic, Set<Waiter>>()
  private readonly woken = new Map<Waiter, WaitOutcome>()
  private wokenPerTurn = WOKEN_AT_FIRST
  private endedInTurn = 0
  private readonly now: () => number
  private isTurnEnding = false
  private isClosed = false

  count = 0

  constructor(now = () => performance.now()) {
    this.now = now
  }

  add(topic: Topic, timeoutMs: number, signal: AbortSignal | undefined): Promise<WaitOutcome> {
    if (signal?.aborted) return Promise.resolve('aborted')
    if (this.isClosed || timeoutMs <= 0) return Promise.resolve('timeout')
    return new Promise((resolve) => {
      const waiter = new Waiter(this, topic, signal, resolve)
      const waiters = this.byTopic.get(topic)
      if (waiters) waiters.add(waiter)
      else this.byTopic.set(topic, new Set([waiter]))
      this.count += 1
      waiter.timer = setTimeout(expire, Math.ceil(timeoutMs), this, waiter).unref()
      signal?.addEventListener('abort', waiter)
    })
  }

  /** Ends the waits for a topic: some at once, and the others in later turns. */
  wake(topic: Topic): void {
    this.wakeThese(this.byTopic.get(topic) ?? [])
  }

  wakeAll(): void {
    for (const waiters of this.byTopic.values()) this.wakeThese(waiters)
  }

  private wakeThese(waiters: Iterable<Waiter>): void {
    for (const waiter of waiters) {
      this.unlink(waiter)
      this.woken.set(waiter, 'changed')
    }
    this.endWoken()
  }

  private endWoken(): void {
    const since = this.now()
    for (const [waiter, outcome] of this.woken) {
      if (this.endedInTurn === this.wokenPerTurn) break
      this.endedInTurn += 1
      this.end(waiter, outcome)
    }
    if (this.endedInTurn === 0 || this.isTurnEnding) return
    afterMicrotasks(() => this.adapt(this.now() - since))
    this.endWokenLater()
  }

  private endWokenLater(): void {
    if (this.isTurnEnding) return
    this.isTurnEnding = true
    setImmediate(() => {
      this.isTurnEnding = false
      this.endedInTurn = 0
      if (this.woken.size === 0) this.wokenPerTurn = WOKEN_AT_FIRST
      this.endWoken()
    })
  }

  /** @param ms how long the answers of this turn took. */
  private adapt(ms: number): void {
    const fitting =
      ms > WOKEN_MS_MAX ? Math.floor((this.wokenPerTurn * WOKEN_MS_MAX) / ms) : 2 * this.wokenPerTurn
    this.wokenPerTurn = Math.min(Math.max(fitting, 1), WOKEN_PER_TURN_MAX)
  }

  /** Ends every current and future wait as if it had timed out, for shutdown. */
  close(): void {
    this.isClosed = true
    const waiting = [...this.byTopic.values()].flatMap((waiters) => [...waiters])
    for (const waiter of [...waiting, ...this.woken.keys()]) this.end(waiter, 'timeout')
  }

  /** The wait has timed out. Waits that time out together end like those that one change wakes. */
  expire(waiter: Waiter): void {
    this.unlink(waiter)
    // A wait that was already woken keeps its outcome.
    if (!this.woken.has(waiter)) this.woken.set(waiter, 'timeout')
    this.endWokenLater()
  }

  end(waiter: Waiter, outcome: WaitOutcome): void {
    this.unlink(waiter)
    this.woken.delete(waiter)
    this.count -= 1
    clearTimeout(waiter.timer)
    waiter.signal?.removeEventListener('abort', waiter)
    waiter.resolve(outcome)
  }

  private unlink(waiter: Waiter): void {
    const waiters = this.byTopic.get(waiter.topic)
    if (waiters?.delete(waiter) && waiters.size === 0) this.byTopic.delete(waiter.topic)
  }
}

/** Not a closure per wait. */
function expire(waiters: Waiters, waiter: Waiter): void {
  waiters.expire(waiter)
}

/** One wait, and its own listener for the abort signal. */
class Waiter {
  readonly waiters: Waiters
  readonly topic: Topic
  readonly signal: AbortSignal | undefined
  readonly resolve: (outcome: WaitOutcome) => void
  timer: NodeJS.Timeout | undefined

  constructor(
    waiters: Waiters,
    topic: Topic,
    signal: AbortSignal | undefined,
    resolve: (outcome: WaitOutcome) => void,
  ) {
    this.waiters = waiters
    this.topic = topic
    this.signal = signal
    this.resolve = resolve
  }

  handleEvent(): void {
    this.waiters.end(this, 'aborted')
  }
}

/** Runs an action after the answers to the resolved waits, unless these need another turn. */
function afterMicrotasks(action: () => void): void {
  queueMicrotask(() => process.nextTick(action))
}
