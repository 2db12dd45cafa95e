import { setTimeout as sleep } from 'node:timers/promises'
import {
  isForgotten,
  MEMBER_FAILED_AFTER_MS,
  MEMBER_HEARTBEAT_MS,
  type Member,
  type MemberMode,
  observeMembers,
} from '@latchkey/acl'
import { nodeKey } from '@latchkey/catalog'
import { AclError } from '@latchkey/contract'
import type { BaseLogger } from 'pino'
import { withAclErrors } from '../../database/database-error.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { StartError } from '../../start-error.ts'
import type { ChangeFeed } from '../follow/change-feed.ts'
import type { ChangeFollower } from '../follow/change-follower.ts'
import type { LocalState } from '../follow/local-state.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { Closing, Lease } from './leases/lease.ts'
import { LeaseClosing } from './leases/lease-closing.ts'
import { beatMember, closeLeases, joinMember, removeMember } from './member-rows.ts'
import { isProcessGone, processIdentity } from './process-identity.ts'

/** A server process as the other members see it. `address`: where it listens; empty until it listens. */
export interface StoreMember extends Member {
  readonly address: string
  readonly startedAt?: number
  readonly seenIndex?: bigint
  readonly replication?: unknown
}

interface StoredMember extends StoreMember {
  readonly startedAt: number
  readonly beat: bigint | null
}

export interface MemberInfo {
  readonly datacenter: string
  readonly node: string
  readonly version: string
}

interface MembershipParts {
  readonly memberId: string
  readonly prisma: PrismaClient
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly clock: DatabaseClock
  readonly lease: Lease
  readonly feed: ChangeFeed
  readonly commits: { readonly isBusy: boolean }
  readonly log: BaseLogger
}

/** A lease is only worthwhile after this long without a commit, because the next commit has to end it. */
const QUIET_MS = 30
/** How often a process that needs a lease requests one: while leases are granted, and while they are closing. */
const SEEK_MS = 30
const SEEK_WHILE_CLOSING_MS = 250

/**
 * This process's membership in the group that shares the database: one row, renewed by heartbeats, which also request
 * a {@link Lease}. After {@link MEMBER_FAILED_AFTER_MS} of silence, its commits are refused until it has joined again.
 */
export class Membership {
  private readonly parts: MembershipParts
  private readonly id: string
  private readonly info: MemberInfo
  private mode: MemberMode = 'unknown'
  private replication: object | undefined
  private address = ''
  private joining: Promise<void> | undefined
  private entering: Promise<number> | undefined
  private beating: Promise<void> = Promise.resolve()
  /** Aborts to end the current pause between two heartbeats, or else the next one. */
  private pausing = new AbortController()
  /** Whether this process has begun to join and has not left. */
  private isOpen = false
  /** Number of heartbeats and joins that were sent. */
  private beats = 0
  /** How many other members there were at the last heartbeat; undefined before the first one. */
  private others: number | undefined
  private seekAt = Number.NEGATIVE_INFINITY
  readonly closing: LeaseClosing
  /** When the last heartbeat was answered, by `performance.now()`. */
  private beatenAt = Number.NEGATIVE_INFINITY
  /** Start of the unbroken sequence of heartbeats, by the database's clock. */
  private observedSince = Number.POSITIVE_INFINITY

  constructor(parts: MembershipParts, info: MemberInfo) {
    this.parts = parts
    this.id = parts.memberId
    this.info = info
    const { lease, prisma, feed, log } = parts
    this.closing = new LeaseClosing({
      memberId: this.id,
      lease,
      beats: () => this.beats,
      prisma,
      tell: (text) => feed.tell(text),
      beatSoon: () => this.beatSoon(),
      log,
    })
  }

  get lease(): Lease {
    return this.parts.lease
  }

  get memberId(): string {
    return this.id
  }

  /** Whether this process has a lease and is the only member. */
  isAlone(): boolean {
    return this.others === 0 && this.lease.isValid()
  }

  /** The author of a commit. Gives up the lease first, unless this process is the only member. */
  forCommit(): { readonly memberId: string; readonly beat: number } {
    return this.others === 0 ? { memberId: this.id, beat: -1 } : this.withoutLease()
  }

  withoutLease(): { readonly memberId: string; readonly beat: number } {
    this.lease.drop()
    return { memberId: this.id, beat: this.beats }
  }

  /** Ends all leases, for a commit that cannot. @returns the id of the closing; undefined without leases. */
  async endLeases(): Promise<string | undefined> {
    const closing = await closeLeases(this.parts.prisma, this.withoutLease())
    if (closing) await this.closing.ended(closing)
    return closing?.id
  }

  /** Requests a lease soon, because a read had to query the database. */
  seekLease(): void {
    const now = performance.now()
    if (now < this.seekAt) return
    this.seekAt = now + SEEK_MS
    if (this.mayAskForLease()) this.beatSoon()
  }

  /** A process has joined or left: gives up the lease until the database grants it again. */
  noteChange(): void {
    this.lease.drop()
    this.beatSoon()
  }

  self(): StoreMember {
    const { id, mode, address } = this
    return { id, ...this.info, mode, address, heartbeatAt: this.parts.clock.databaseNow(), status: 'alive' }
  }

  /** All members of this database, including those that failed or left, until they are forgotten. */
  async members(): Promise<readonly StoredMember[]> {
    const rows = await withAclErrors(() =>
      this.parts.prisma.member.findMany({ orderBy: { startedAt: 'asc' } }),
    )
    const members = rows.map(({ mode, startedAt, heartbeatAt, leftAt, ...row }) => ({
      ...row,
      mode: mode as MemberMode,
      startedAt: startedAt.getTime(),
      heartbeatAt: heartbeatAt.getTime(),
      stoppedAt: leftAt?.getTime(),
    }))
    return observeMembers(members, this.parts.clock.databaseNow())
  }

  /** Deletes the rows of silent members of a node. @returns how many; `alive` if one of them is alive. */
  async forceLeave(node: string): Promise<number | 'alive'> {
    const known = (await this.members()).filter((member) => nodeKey(member.node) === nodeKey(node))
    if (known.some(({ status }) => status === 'alive')) return 'alive'
    if (known.length > 0) await this.deleteSilent(known)
    return known.length
  }

  async leader(): Promise<StoreMember | undefined> {
    const leader = await withAclErrors(() =>
      this.parts.prisma.member.findFirst({ where: { isLeader: true }, orderBy: { heartbeatAt: 'desc' } }),
    )
    return (await this.members()).find(({ id }) => id === leader?.id)
  }

  async announce(address: string): Promise<void> {
    this.address = address
    await this.beat()
  }

  async setMode(mode: MemberMode): Promise<void> {
    if (mode === this.mode) return
    this.mode = mode
    await this.beat()
  }

  /** Publishes the progress of replication with the next heartbeat; `undefined` unless this process replicates. */
  setReplication(progress: object | undefined): void {
    this.replication = progress
  }

  /** @throws AclError `unavailable`; StartError if servers of another datacenter use this database. */
  async start(): Promise<void> {
    this.isOpen = true
    await this.join()
    await this.refuseOtherDatacenter()
    await this.beat()
    void this.keepBeating()
  }

  /** Resolves when this process may commit; undefined unless it is joining. */
  ready(): Promise<void> | undefined {
    return this.joining
  }

  /** Joins, for the first time or again; concurrent calls share one join. */
  join(): Promise<void> {
    this.joining ??= this.joinNow().finally(() => {
      this.joining = undefined
    })
    return this.joining
  }

  /** Becomes a member, so that the follower may apply what it reads. @throws AclError `unavailable` */
  async rejoin(): Promise<void> {
    if (!this.isOpen) throw new AclError('unavailable', 'This server is starting or stopping; try again')
    await this.enter()
  }

  /**
   * Leaves the group, if the database is reachable. @param isForGood without a successor: earlier processes of its name
   * leave with it, because nothing else ends the wait for them.
   */
  async close(isForGood = false): Promise<void> {
    if (!this.isOpen) return
    this.isOpen = false
    this.beatSoon()
    this.lease.drop()
    try {
      const replaced = isForGood ? await this.replaced() : []
      await removeMember(this.parts.prisma, this.id, false)
      if (isForGood) await this.parts.prisma.member.deleteMany({ where: { id: this.id } })
      if (replaced.length > 0) await this.deleteSilent(replaced)
    } catch (error) {
      this.parts.log.warn(
        { err: error },
        'could not record its departure; the other members notice within seconds',
      )
    }
  }

  /** Ended processes of this name. A process that never listened failed to start, and has replaced none. */
  private async replaced(): Promise<readonly StoredMember[]> {
    if (this.address === '') return []
    const members = await this.members()
    const startedAt = members.find(({ id }) => id === this.id)?.startedAt ?? 0
    return members.filter(
      ({ id, node, status, heartbeatAt }) =>
        id !== this.id &&
        nodeKey(node) === nodeKey(this.info.node) &&
        (status !== 'alive' || heartbeatAt < startedAt),
    )
  }

  /** @param cleansUp whether members that failed are forgotten too. */
  async forget(cleansUp: boolean): Promise<void> {
    const now = this.parts.clock.databaseNow()
    const { observedSince } = this
    const gone = (await this.members()).filter(
      (member) => (cleansUp || member.status !== 'failed') && isForgotten(member, { now, observedSince }),
    )
    if (gone.length > 0) await this.deleteSilent(gone)
  }

  /**
   * Unless they have returned since. A step of the database clock may have made them seem silent, and a row with a
   * valid lease must stay, so all leases are ended first.
   */
  private async deleteSilent(members: readonly Pick<StoredMember, 'id' | 'beat'>[]): Promise<void> {
    const { prisma } = this.parts
    await this.endLeases()
    for (const { id, beat } of members) {
      await removeMember(prisma, id, true, beat)
      await withAclErrors(() => prisma.member.deleteMany({ where: { id, beat } }))
    }
  }

  private async joinNow(): Promise<void> {
    const joinedAt = performance.now()
    await this.parts.follower.reach(await this.enter())
    this.beatenAt = Math.max(this.beatenAt, joinedAt)
  }

  /** Becomes a member after all leases have ended. @returns the index of the join. */
  private enter(): Promise<number> {
    this.entering ??= this.enterNow().finally(() => {
      this.entering = undefined
    })
    return this.entering
  }

  private async enterNow(): Promise<number> {
    let ending: Closing | undefined
    for (;;) {
      // At each attempt: a heartbeat may have obtained a lease since the previous one, and the join would delete it.
      this.lease.drop()
      const { id, info, mode, address } = this
      this.beats += 1
      const self = { id, ...info, mode, address, process: processIdentity(), beat: this.beats }
      const answer = await joinMember(this.parts.prisma, self, ending?.id)
      if (!('epoch' in answer)) return answer.index
      ending = answer
      await this.closing.ended(ending)
    }
  }

  /** On a shared database, local tokens would be valid in both. If two start at once, at least one sees the other. */
  private async refuseOtherDatacenter(): Promise<void> {
    const { datacenter } = this.info
    const { prisma, clock } = this.parts
    const others = await withAclErrors(() =>
      prisma.member.findMany({ where: { datacenter: { not: datacenter }, leftAt: null, isFenced: false } }),
    )
    const deadBefore = clock.now() - MEMBER_FAILED_AFTER_MS
    const living = others.find(
      ({ heartbeatAt, process }) => heartbeatAt.getTime() >= deadBefore && !isProcessGone(process),
    )
    if (!living) return
    throw new StartError(
      `Servers of the datacenter "${living.datacenter}" use this database, and this server is of "${datacenter}".\nEach datacenter needs its own database: set another DATABASE_URL, or the same LATCHKEY_DATACENTER for all.`,
    )
  }

  /** A lease would delay commits, unless they are rare or there are no other members. */
  private mayAskForLease(): boolean {
    const { feed, commits, state } = this.parts
    if (!this.isOpen || !feed.isConnected) return false
    return this.others === 0 || (!commits.isBusy && performance.now() - state.changedAt >= QUIET_MS)
  }

  private async keepBeating(): Promise<void> {
    for (;;) {
      const { signal } = this.pausing
      await sleep(MEMBER_HEARTBEAT_MS, undefined, { signal, ref: false }).catch(() => {})
      this.pausing = new AbortController()
      if (!this.isOpen) return
      await this.beat().catch((error: unknown) => {
        this.parts.log.debug({ err: error }, 'a heartbeat failed; the next one follows in a second')
      })
    }
  }

  private beatSoon(): void {
    this.pausing.abort()
  }

  /** One heartbeat at a time, so that none overtakes a later one with other content. */
  private beat(): Promise<void> {
    const beat = () => this.beatNow()
    this.beating = this.beating.then(beat, beat)
    return this.beating
  }

  /** A heartbeat also polls the commit index, and so catches up on missed notifications. */
  private async beatNow(): Promise<void> {
    const { prisma, state, follower, clock, lease, feed } = this.parts
    const { id, mode, address, replication, closing } = this
    try {
      const holds_lease = lease.isValid()
      // An expired lease must not return when a clock is set.
      if (!holds_lease) lease.drop()
      const question = lease.ask()
      const { askedAt } = question
      const is_leader = feed.leaderSignal !== undefined
      this.beats += 1
      // Arguments of `latchkey_heartbeat`: columns of `member`, and the state of leases.
      const beat = {
        id,
        mode,
        address,
        is_leader,
        seen_index: state.appliedIndex,
        replication,
        beat: this.beats,
        holds_lease,
        asks_lease: this.mayAskForLease(),
        waited: closing.overdue(),
        ...clock.opinion(),
      }
      const answer = await beatMember(prisma, beat)
      if (!answer.is_member) {
        if (this.isOpen) await this.join()
        return
      }
      clock.measure(answer.now, askedAt, performance.now())
      clock.settle(answer.clock ?? undefined, is_leader)
      if (askedAt - this.beatenAt > MEMBER_FAILED_AFTER_MS) this.observedSince = answer.now
      this.beatenAt = Math.max(this.beatenAt, askedAt)
      this.others = answer.others
      closing.note(answer.closing ?? undefined)
      if (answer.closing !== null) this.seekAt = askedAt + SEEK_WHILE_CLOSING_MS
      // The writer may be waiting for it, and if the feed is broken, only a heartbeat reaches the writer.
      if (answer.closing !== null && holds_lease) this.beatSoon()
      await follower.reach(answer.index, askedAt)
      if (answer.lease && this.isOpen) lease.grant(question)
    } catch (error) {
      follower.noteFailure()
      throw error
    }
  }
}
