/** A server process as read leases use it: its lease, its heartbeats, its reads and writes. Decisions: read leases. */

import type { SeededRandom } from '../random.ts'
import { HeldLease, LEASE_MS, type Moment, type Question } from './held-lease.ts'
import type { Author, BeatAnswer, Closing, LeaseDatabase } from './lease-database.ts'
import type { Mistake } from './mistakes.ts'

const MARGIN_MS = 100
const BEAT_MS = 1_000
const POLL_MS = 25
const ANSWER_MS_MAX = 2_000
const TRIES_MAX = 5

/** How the clocks of a process run. */
export interface Clocks {
  /** Speed of the monotonic clock: 1 is exact. */
  readonly rate: number
  wallOffsetMs: number
  /** How long the machine slept: the monotonic clock stood still. */
  sleptMs: number
}

/** The environment of a process. */
export interface Surroundings {
  readonly now: number
  readonly random: SeededRandom
  readonly mistake: Mistake | undefined
  /** Reads answered under a lease. */
  readonly counts: { leased: number }
  at(ms: number, work: () => void): void
  ask<T>(
    process: LeaseProcess,
    statement: (database: LeaseDatabase) => T,
    answered: (answer: T) => void,
  ): void
  tellGone(id: string, epoch: number, beats: number): void
  isKnownToBeGone(id: string): boolean
}

export class LeaseProcess {
  readonly id: string
  readonly clocks: Clocks
  isPaused = false
  isEnded = false
  isFeedConnected = false
  private readonly world: Surroundings
  private readonly inbox: (() => void)[] = []
  private applied = 0
  private isMember = false
  private isJoining = false
  private isCommitting = false
  private isBeating = false
  /** Number of other members at the last heartbeat. */
  private others: number | undefined
  private beatNumber = 0
  private readonly lease: HeldLease
  /** For each other process: the last epoch whose lease it gave up, and how many heartbeats it had sent by then. */
  private readonly gone = new Map<string, { readonly epoch: number; readonly beats: number }>()
  private closingSeen: { readonly id: number; readonly at: number } | undefined

  constructor(world: Surroundings, id: string, clocks: Clocks) {
    this.world = world
    this.id = id
    this.clocks = clocks
    this.lease = new HeldLease(world.mistake)
    this.connectFeed()
    this.join(0)
    this.later(BEAT_MS, () => this.keepBeating())
  }

  /** Runs work as this process: delayed while it is paused, dropped after it ended. */
  deliver(work: () => void): void {
    if (this.isEnded) return
    if (this.isPaused) this.inbox.push(work)
    else work()
  }

  resume(): void {
    this.isPaused = false
    // Work that waited in sockets and timers arrives in any order.
    for (const work of this.world.random.shuffled(this.inbox.splice(0))) this.deliver(work)
  }

  connectFeed(): void {
    this.isFeedConnected = true
    this.confirm(() => {})
  }

  loseFeed(): void {
    this.isFeedConnected = false
    this.drop()
    this.beat()
    this.later(this.world.random.below(2_000), () => this.connectFeed())
  }

  hearCommit(): void {
    this.confirm(() => {})
  }

  hearClose(epoch: number): void {
    this.drop()
    this.world.tellGone(this.id, epoch, this.beatNumber)
  }

  hearGone(id: string, epoch: number, beats: number): void {
    this.gone.set(id, { epoch, beats })
  }

  /** @param done receives the value, which is the index of the last write; undefined if the read fails. */
  read(done: (value: number | undefined) => void): void {
    if (this.hasLease()) {
      this.world.counts.leased += 1
      done(this.applied)
    } else if (!this.isMember) {
      done(undefined)
    } else {
      this.confirm((value) => (value === undefined ? done(undefined) : this.load(done)))
    }
  }

  /** Reads a row. A row newer than the state is shown only when the state has caught up. */
  private load(done: (value: number | undefined) => void): void {
    this.ask(
      (database) => database.index,
      (index) => {
        if (index <= this.applied) done(this.applied)
        else if (this.world.mistake === 'a fenced process shows a row that it loaded') done(index)
        else this.confirm(done)
      },
      () => done(undefined),
    )
  }

  /** @param done receives the index; undefined if the outcome is unknown. */
  write(done: (index: number | undefined) => void): void {
    if (!this.isMember || this.isCommitting) {
      done(undefined)
      return
    }
    this.isCommitting = true
    this.tryCommit({ tries: TRIES_MAX, waited: undefined }, (index) => {
      this.isCommitting = false
      done(index)
    })
  }

  private tryCommit(
    { tries, waited }: { readonly tries: number; readonly waited: number | undefined },
    done: (index: number | undefined) => void,
  ): void {
    const keeps = this.world.mistake === 'a writer keeps its own lease while it commits'
    const author =
      this.others === 0 && waited === undefined ? { ...this.author(waited), beat: -1 } : this.author(waited)
    if (author.beat >= 0 && !keeps) this.drop()
    this.ask(
      (database) => database.commit(author),
      (answer) => {
        if (answer === undefined) this.join(0)
        if (answer === undefined || tries === 0) return done(undefined)
        if ('epoch' in answer) {
          if (!keeps) this.drop()
          return this.waitForEnd(answer, () => {
            if ('index' in answer) return this.confirm(done)
            this.tryCommit({ tries: tries - 1, waited: answer.id }, done)
          })
        }
        this.applied = Math.max(this.applied, answer.index)
        done(answer.index)
      },
      () => done(undefined),
    )
  }

  private author(waited: number | undefined): Author {
    return { id: this.id, beat: this.beatNumber, waited }
  }

  /** Calls back when no lease of the epoch can be valid any more. */
  private waitForEnd({ epoch, holders }: Closing, done: () => void): void {
    const isHasty = this.world.mistake === 'a writer waits for less than a lease'
    const deadline = this.now() + (isHasty ? LEASE_MS / 2 : LEASE_MS + MARGIN_MS)
    const left = new Map(holders)
    left.delete(this.id)
    const look = (): void => {
      if (this.now() >= deadline) {
        done()
        return
      }
      for (const [id, beat] of left) {
        if (this.isGone(id, epoch, beat) || this.world.isKnownToBeGone(id)) left.delete(id)
      }
      if (holders !== undefined && left.size === 0) {
        done()
        return
      }
      this.ask(
        (database) => [...left.keys()].filter((id) => database.row(id)?.leaseEpoch !== epoch),
        (ended) => {
          for (const id of ended) left.delete(id)
          this.later(POLL_MS, look)
        },
        () => this.later(POLL_MS, look),
      )
    }
    look()
  }

  /** The database may have lost the end of these leases, and have granted a later lease in the same epoch. */
  private isGone(id: string, epoch: number, beat: number): boolean {
    const gone = this.gone.get(id)
    if (gone?.epoch !== epoch) return false
    const { mistake } = this.world
    return (
      gone.beats >= beat ||
      mistake === 'a process that gave up its lease is believed after the database forgot that'
    )
  }

  private join(waited: number | undefined): void {
    if (this.isJoining && waited === 0) return
    this.isJoining = true
    this.isMember = false
    this.drop()
    this.beatNumber += 1
    const author = this.author(waited)
    this.ask(
      (database) => database.join(author),
      (answer) => {
        if ('epoch' in answer) return this.waitForEnd(answer, () => this.join(answer.id))
        this.confirm((value) => {
          this.isJoining = false
          this.isMember = value !== undefined
          if (!this.isMember) this.join(0)
        })
      },
      () => this.later(POLL_MS, () => this.join(undefined)),
    )
  }

  private keepBeating(): void {
    this.beat()
    this.later(this.world.random.pick([BEAT_MS, BEAT_MS, 50]), () => this.keepBeating())
  }

  private beat(): void {
    if (this.isBeating || !this.isMember) return
    this.isBeating = true
    this.beatNumber += 1
    const isHolding = this.hasLease()
    // An expired lease must not become valid again when a clock is set.
    if (!isHolding) this.drop()
    const asked = { ...this.moment(), drops: this.lease.drops }
    const closing = this.closingSeen
    const isOver = closing !== undefined && asked.at - closing.at > LEASE_MS + MARGIN_MS
    const beat = {
      id: this.id,
      beat: this.beatNumber,
      isHolding,
      isAsking: this.isFeedConnected && (this.others === 0 || !this.isCommitting),
      waited: isOver ? closing.id : undefined,
    }
    this.ask(
      (database) => database.beat(beat),
      (answer) => {
        this.isBeating = false
        if (answer.isMember) this.takeBeat(answer, asked)
        else this.join(0)
      },
      () => {
        this.isBeating = false
      },
    )
  }

  private takeBeat(answer: Extract<BeatAnswer, { isMember: true }>, asked: Question): void {
    this.others = answer.others
    const { closing } = answer
    if (closing !== undefined && closing !== this.closingSeen?.id) {
      this.closingSeen = { id: closing, at: this.now() }
      this.drop()
    }
    if (!answer.isGranted) return
    const take = () => {
      const end = this.lease.grant(asked)
      if (end) this.later(LEASE_MS, end)
    }
    if (this.applied >= answer.index) take()
    else this.confirm((value) => value !== undefined && take())
  }

  private hasLease(): boolean {
    return this.lease.isValid(this.moment())
  }

  private drop(): void {
    this.lease.drop()
  }

  /**
   * Makes the state at least as new as the database is now. If this process is not a member, it shows nothing of what it
   * sees: another process may be the only member, and may not have applied its own last commit.
   */
  private confirm(done: (value: number | undefined) => void): void {
    this.ask(
      (database) => ({ index: database.index, isMember: database.isMember(this.id) }),
      ({ index, isMember }) => {
        if (isMember) this.applied = Math.max(this.applied, index)
        else if (this.isMember) this.join(0)
        done(isMember ? this.applied : undefined)
      },
      () => done(undefined),
    )
  }

  private ask<T>(
    statement: (database: LeaseDatabase) => T,
    answered: (answer: T) => void,
    failed: () => void,
  ): void {
    let isOpen = true
    const once = (work: () => void) => () => {
      if (isOpen) work()
      isOpen = false
    }
    this.world.ask(this, statement, (answer) => once(() => answered(answer))())
    this.later(ANSWER_MS_MAX, once(failed))
  }

  /** The monotonic clock. */
  private now(): number {
    return (this.world.now - this.clocks.sleptMs) * this.clocks.rate
  }

  private moment(): Moment {
    return { at: this.now(), atWall: this.world.now + this.clocks.wallOffsetMs }
  }

  private later(ms: number, work: () => void): void {
    this.world.at(ms / this.clocks.rate, () => this.deliver(work))
  }
}
