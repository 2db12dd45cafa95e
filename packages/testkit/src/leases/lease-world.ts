/**
 * Simulates read leases: processes on one database, and everything that may happen to them and between them. Every read must
 * show each write that was acknowledged, or shown by another read, before the read began. Decisions: read leases.
 */
import { SeededRandom } from '../random.ts'
import { LeaseDatabase } from './lease-database.ts'
import { type Clocks, LeaseProcess, type Surroundings } from './lease-process.ts'
import type { Mistake } from './mistakes.ts'

/** A read that showed an outdated value. */
export class OutdatedRead extends Error {}

interface Event {
  readonly at: number
  readonly order: number
  readonly work: () => void
}

const PROCESSES_MAX = 3
/** Maximum difference in speed of the clocks of two machines. */
const DRIFT_MAX = 0.01

export class LeaseWorld implements Surroundings {
  readonly random: SeededRandom
  readonly mistake: Mistake | undefined
  now = 0
  /** Answered reads, and how many of them were answered under a lease. */
  readonly counts = { reads: 0, leased: 0, writes: 0 }
  private readonly database: LeaseDatabase
  private readonly events: Event[] = []
  private orders = 0
  private readonly processes: LeaseProcess[] = []
  private readonly ended = new Set<string>()
  private databaseSkewMs = 0
  /** Whether many statements and answers are delayed by seconds. */
  private readonly isSlow: boolean
  /** For each feed, when it has delivered everything sent so far. */
  private readonly feedTimes = new Map<string, number>()
  /** The highest index that any client has seen. */
  private known = 0

  constructor(seed: number, mistake?: Mistake) {
    this.random = new SeededRandom(seed)
    this.mistake = mistake
    this.isSlow = this.random.chance(0.3)
    this.database = new LeaseDatabase({
      now: () => this.now + this.databaseSkewMs,
      notify: ({ kind, value }) =>
        this.broadcast((process) => (kind === 'close' ? process.hearClose(value) : process.hearCommit())),
      mistake,
    })
    this.start()
    for (let n = 1; n < PROCESSES_MAX; n += 1) this.at(this.random.below(6_000), () => this.start())
  }

  /** @throws OutdatedRead */
  run(ms: number): void {
    this.at(1_000, () => this.act())
    for (let event = this.take(); event && event.at < ms; event = this.take()) {
      this.now = event.at
      event.work()
    }
  }

  at(ms: number, work: () => void): void {
    this.orders += 1
    const event = { at: this.now + ms, order: this.orders, work }
    let place = this.events.length
    while (place > 0 && isBefore(event, this.events[place - 1])) place -= 1
    this.events.splice(place, 0, event)
  }

  /** Sends a statement. It may run late, even after its process gave up on it, and its answer may be late as well. */
  ask<T>(
    process: LeaseProcess,
    statement: (database: LeaseDatabase) => T,
    answered: (answer: T) => void,
  ): void {
    this.at(this.delay(), () => {
      if (!this.database.isUp) return
      const answer = statement(this.database)
      this.at(this.delay(), () => process.deliver(() => answered(answer)))
    })
  }

  tellGone(id: string, epoch: number, beats: number): void {
    this.at(this.delay(), () => this.broadcast((process) => process.hearGone(id, epoch, beats)))
  }

  /** Processes on one machine notice each other's end. */
  isKnownToBeGone(id: string): boolean {
    return this.ended.has(id)
  }

  private take(): Event | undefined {
    // The last event in the list is the next one.
    return this.events.pop()
  }

  /** Delivers in order on each feed, unless the feed is disconnected. */
  private broadcast(hear: (process: LeaseProcess) => void): void {
    for (const process of this.processes) {
      if (!process.isFeedConnected || this.random.chance(0.05)) continue
      const at = Math.max(this.now + this.delay(), this.feedTimes.get(process.id) ?? 0)
      this.feedTimes.set(process.id, at)
      this.at(at - this.now, () => {
        if (process.isFeedConnected) process.deliver(() => hear(process))
      })
    }
  }

  private delay(): number {
    const { random } = this
    const lateWeight = this.isSlow ? 12 : 2
    return random.weighted([
      [60, 0.1 + random.next()],
      [30, random.next() * 20],
      [2, random.next() * 400],
      [lateWeight, random.next() * 5_000],
    ])
  }

  private start(): void {
    if (this.processes.length >= PROCESSES_MAX) return
    const { random } = this
    this.orders += 1
    const clocks: Clocks = {
      rate: 1 + (random.next() * 2 - 1) * DRIFT_MAX,
      wallOffsetMs: random.below(1_000_000),
      sleptMs: 0,
    }
    this.processes.push(new LeaseProcess(this, `p${this.orders}`, clocks))
  }

  private act(): void {
    const { random } = this
    const process = this.processes.length > 0 ? random.pick(this.processes) : undefined
    if (process) {
      random.weighted<() => void>([
        [60, () => this.read(process)],
        [12, () => this.write(process)],
        [2, () => this.pause(process, random.pick([100, 1_000, 3_000, 8_000]))],
        [0.6, () => this.sleep(process, random.pick([1_000, 4_000]))],
        [1, () => process.deliver(() => process.loseFeed())],
        [1.5, () => this.end(process)],
        [0.5, () => this.stepWall(process)],
        [1, () => this.stepDatabase()],
        [0.3, () => this.restartDatabase()],
        [0.6, () => this.database.failOver()],
      ])()
    }
    // Sometimes all is quiet for long enough to grant leases.
    this.at(random.pick([1, 5, 20, 20, 100, 100, 1_500]) * random.next(), () => this.act())
  }

  private read(process: LeaseProcess): void {
    const { known } = this
    process.deliver(() =>
      process.read((value) => {
        if (value === undefined) return
        this.counts.reads += 1
        if (value < known) throw new OutdatedRead(`${process.id} showed ${value} instead of ${known}`)
        this.known = Math.max(this.known, value)
      }),
    )
  }

  private write(process: LeaseProcess): void {
    process.deliver(() =>
      process.write((index) => {
        if (index === undefined) return
        this.counts.writes += 1
        this.known = Math.max(this.known, index)
      }),
    )
  }

  private pause(process: LeaseProcess, ms: number): void {
    if (process.isPaused) return
    process.isPaused = true
    this.at(this.random.below(ms), () => process.resume())
  }

  private sleep(process: LeaseProcess, ms: number): void {
    if (process.isPaused) return
    process.isPaused = true
    const slept = this.random.below(ms)
    this.at(slept, () => {
      process.clocks.sleptMs += slept
      process.resume()
    })
  }

  private end(process: LeaseProcess): void {
    process.isEnded = true
    process.isFeedConnected = false
    this.processes.splice(this.processes.indexOf(process), 1)
    // Half of the time it is on the machine of the others, which then notice its end.
    if (this.random.chance(0.5)) this.ended.add(process.id)
    this.at(this.random.below(3_000), () => this.start())
  }

  /** Not while the machine may be asleep: setting the wall clock back would hide the sleep. */
  private stepWall(process: LeaseProcess): void {
    if (process.isPaused) return
    process.clocks.wallOffsetMs += this.random.pick([-3_600_000, -1_000, 1_000, 3_600_000])
  }

  private stepDatabase(): void {
    this.databaseSkewMs += this.random.pick([-3_600_000, -4_000, 4_000, 3_600_000])
  }

  private restartDatabase(): void {
    this.database.crash()
    this.at(this.random.below(4_000), () => {
      this.database.isUp = true
    })
    for (const process of this.processes) process.deliver(() => process.loseFeed())
  }
}

/** The list is sorted in reverse: later events come first. */
function isBefore(event: Event, other: Event | undefined): boolean {
  if (other === undefined) return false
  return event.at > other.at || (event.at === other.at && event.order > other.order)
}
