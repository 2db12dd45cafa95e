import type { Topic, WaitOutcome } from '@latchkey/service'

/** A wait may end this much late, besides the delay of the timer: one timer serves all of them. */
const TICK_MS = 4
/** How far ahead the timer looks for a tick at which waits end; it runs at least this often. */
const TICKS_AHEAD = 16
/**
 * Maximum waits that end in one turn of the event loop, so that other requests run between the turns. An answer takes
 * 50 to 100 µs, but a long list takes tens of milliseconds: a burst begins with few waits per turn, and adapts to the
 * time that they took.
 */
const WOKEN_PER_TURN_MAX = 128
const WOKEN_AT_FIRST = 8
/** Time that the answers of one turn may take. */
const WOKEN_MS_MAX = 10

/**
 * All waits of this process, by topic and by the tick at which they time out. A wait costs one object and two set
 * entries, but no timer or closure, because there may be tens of thousands of waits (MEM-02).
 */
export class Waiters {
  private readonly byTopic = new Map<Topic, Set<Waiter>>()
  private readonly byTick = new Map<number, Set<Waiter>>()
  /** Waits that end in this turn or a later one, in order. */
  private readonly woken = new Map<Waiter, WaitOutcome>()
  private wokenPerTurn = WOKEN_AT_FIRST
  private endedInTurn = 0
  private readonly now: () => number
  private isTurnEnding = false
  private timer: NodeJS.Timeout | undefined
  /** The first tick that has not passed. */
  private tick = 0
  /** When the timer fires. */
  private nextTick: number | undefined
  private isClosed = false

  /** Waits in progress. */
  count = 0

  /** @param now milliseconds, to measure how long answers take. */
  constructor(now = () => performance.now()) {
    this.now = now
  }

  add(topic: Topic, timeoutMs: number, signal: AbortSignal | undefined): Promise<WaitOutcome> {
    if (signal?.aborted) return Promise.resolve('aborted')
    if (this.isClosed || timeoutMs <= 0) return Promise.resolve('timeout')
    if (this.count === 0) this.tick = currentTick()
    return new Promise((resolve) => {
      const deadline = Math.ceil((performance.now() + timeoutMs) / TICK_MS)
      const waiter = new Waiter(this, topic, deadline, signal, resolve)
      addTo(this.byTopic, topic, waiter)
      addTo(this.byTick, deadline, waiter)
      this.count += 1
      if (this.nextTick === undefined || deadline < this.nextTick) this.startTimer(deadline)
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
      removeFrom(this.byTopic, waiter.topic, waiter)
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
    this.isTurnEnding = true
    afterMicrotasks(() => this.adapt(this.now() - since))
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
    for (const waiters of this.byTick.values()) for (const waiter of waiters) this.end(waiter, 'timeout')
  }

  end(waiter: Waiter, outcome: WaitOutcome): void {
    removeFrom(this.byTopic, waiter.topic, waiter)
    removeFrom(this.byTick, waiter.deadline, waiter)
    this.woken.delete(waiter)
    this.count -= 1
    waiter.signal?.removeEventListener('abort', waiter)
    if (this.count === 0) this.stop()
    waiter.resolve(outcome)
  }

  private onTick(): void {
    const now = currentTick()
    // The timer may fire late; no tick is skipped.
    for (; this.tick <= now && this.count > 0; this.tick += 1) {
      for (const waiter of this.byTick.get(this.tick) ?? []) {
        // A wait that was already woken keeps its outcome.
        if (!this.woken.has(waiter)) this.woken.set(waiter, 'timeout')
      }
    }
    this.nextTick = undefined
    if (this.count > 0) this.startTimer(this.tick + TICKS_AHEAD)
    this.endWoken()
  }

  /** Starts the only timer, for the first tick at which waits end, but not after `last`. */
  private startTimer(last: number): void {
    let next = this.tick
    while (next < last && next < this.tick + TICKS_AHEAD && !this.byTick.has(next)) next += 1
    this.nextTick = next
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.onTick(), Math.max(0, next * TICK_MS - performance.now())).unref()
  }

  private stop(): void {
    clearTimeout(this.timer)
    this.nextTick = undefined
  }
}

/** One wait, and its own listener for the abort signal. */
class Waiter {
  readonly waiters: Waiters
  readonly topic: Topic
  readonly deadline: number
  readonly signal: AbortSignal | undefined
  readonly resolve: (outcome: WaitOutcome) => void

  constructor(
    waiters: Waiters,
    topic: Topic,
    deadline: number,
    signal: AbortSignal | undefined,
    resolve: (outcome: WaitOutcome) => void,
  ) {
    this.waiters = waiters
    this.topic = topic
    this.deadline = deadline
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

function currentTick(): number {
  return Math.floor(performance.now() / TICK_MS)
}

function addTo<K>(sets: Map<K, Set<Waiter>>, key: K, waiter: Waiter): void {
  const set = sets.get(key)
  if (set) set.add(waiter)
  else sets.set(key, new Set([waiter]))
}

function removeFrom<K>(sets: Map<K, Set<Waiter>>, key: K, waiter: Waiter): void {
  const set = sets.get(key)
  if (set?.delete(waiter) && set.size === 0) sets.delete(key)
}
