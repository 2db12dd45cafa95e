import { randomUUID } from 'node:crypto'
import {
  isForgotten,
  MEMBER_FAILED_AFTER_MS,
  MEMBER_HEARTBEAT_MS,
  type Member,
  type MemberMode,
  withObservedStatus,
} from '@latchkey/acl'
import type { BaseLogger } from 'pino'
import { withAclErrors } from '../../database/database-error.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { StartError } from '../../start-error.ts'
import type { ChangeFollower } from '../follow/change-follower.ts'
import type { LocalState } from '../follow/local-state.ts'
import type { Alarm } from './alarm.ts'
import type { DatabaseClock } from './database-clock.ts'
import { LEASE_MS, type Lease } from './lease.ts'
import type { MemberChanges } from './member-changes.ts'
import { beatMember, joinMember, removeMember } from './member-rows.ts'
import { isProcessGone, processIdentity } from './process-identity.ts'

/** A server process as all others see it. `address`: where it listens; empty before it does. */
export interface StoreMember extends Member {
  readonly address: string
}

/** What a process says of itself when it joins. */
export interface MemberInfo {
  readonly datacenter: string
  readonly node: string
  readonly version: string
}

export interface MembershipParts {
  readonly prisma: PrismaClient
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly clock: DatabaseClock
  readonly lease: Lease
  readonly changes: MemberChanges
  /** What heartbeats sleep by. */
  readonly heartbeat: Alarm
  readonly log: BaseLogger
  /** Whether this process runs the single-winner jobs. */
  readonly isLeader: () => boolean
}

/** How often a joining process looks whether the others know of it. */
const JOIN_POLL_MS = 25
/** Clocks do not run equally fast; this is for the difference over one lease. */
const LEASE_MARGIN_MS = 100

/**
 * The part of this process in the group that shares the database: one row, renewed by heartbeats.
 *
 * Three rules make reads right whoever comes and goes. A process that is told it is alone holds a {@link Lease} to answer
 * from its own state. One that joins commits nothing before every other has applied its join or has no lease any more.
 * One that was silent for {@link MEMBER_FAILED_AFTER_MS} is fenced: its commits are refused until it has joined again.
 */
export class Membership {
  private readonly parts: MembershipParts
  private readonly id = randomUUID()
  private readonly info: MemberInfo
  private mode: MemberMode = 'unknown'
  private address = ''
  private joining: Promise<void> | undefined
  private beating: Promise<void> = Promise.resolve()
  private isClosed = false
  /** When the last heartbeat was answered, by `performance.now()`. */
  private beatenAt = Number.NEGATIVE_INFINITY
  /** Since when heartbeats follow each other without a gap, by the database's clock. */
  private observedSince = Number.POSITIVE_INFINITY

  constructor(parts: MembershipParts, info: MemberInfo) {
    this.parts = parts
    this.info = info
  }

  get lease(): Lease {
    return this.parts.lease
  }

  get memberId(): string {
    return this.id
  }

  self(): StoreMember {
    const { id, mode, address } = this
    return { id, ...this.info, mode, address, heartbeatAt: this.parts.clock.databaseNow(), status: 'alive' }
  }

  /** All processes of this database, those that failed or left too, until they are forgotten. */
  async members(): Promise<readonly StoreMember[]> {
    const rows = await withAclErrors(() =>
      this.parts.prisma.member.findMany({ orderBy: { startedAt: 'asc' } }),
    )
    const now = this.parts.clock.databaseNow()
    return rows.map(({ id, datacenter, node, version, mode, address, heartbeatAt, leftAt }) => {
      const status = leftAt === null ? 'alive' : 'left'
      const member = {
        id,
        datacenter,
        node,
        version,
        mode: mode as MemberMode,
        heartbeatAt: heartbeatAt.getTime(),
      }
      return { ...withObservedStatus({ ...member, status }, now), address }
    })
  }

  /** The process that runs the single-winner jobs; undefined while none is elected. */
  async leader(): Promise<StoreMember | undefined> {
    const leader = await withAclErrors(() =>
      this.parts.prisma.member.findFirst({ where: { isLeader: true }, orderBy: { heartbeatAt: 'desc' } }),
    )
    return (await this.members()).find(({ id }) => id === leader?.id)
  }

  /** Tells the others where this process listens. */
  async announce(address: string): Promise<void> {
    this.address = address
    await this.beat()
  }

  /** Tells the others what this process can and does. */
  async setMode(mode: MemberMode): Promise<void> {
    if (mode === this.mode) return
    this.mode = mode
    await this.beat()
  }

  /**
   * Joins, and starts the heartbeats.
   *
   * @throws AclError `unavailable`; StartError where servers of another datacenter share this database.
   */
  async start(): Promise<void> {
    await this.join()
    await this.refuseOtherDatacenter()
    await this.beat()
    void this.keepBeating()
  }

  /** Resolves when this process may commit: at once, unless it is joining. */
  ready(): Promise<void> | undefined {
    return this.joining
  }

  /** Joins, as new or again; calls during a join share it. */
  join(): Promise<void> {
    this.joining ??= this.joinNow().finally(() => {
      this.joining = undefined
    })
    return this.joining
  }

  /** Ends the heartbeats and says so to the others, if the database can be reached. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.parts.heartbeat.ring()
    this.lease.revoke()
    try {
      await removeMember(this.parts.prisma, this.id, false)
    } catch (error) {
      this.parts.log.warn({ err: error }, 'left without saying so; the others notice within seconds')
    }
  }

  /** Removes the rows of those who are gone for good. */
  async forget(): Promise<void> {
    const now = this.parts.clock.databaseNow()
    const { observedSince } = this
    const gone = (await this.members()).filter((member) => isForgotten(member, { now, observedSince }))
    if (gone.length > 0)
      await this.parts.prisma.member.deleteMany({ where: { id: { in: gone.map(({ id }) => id) } } })
  }

  private async joinNow(): Promise<void> {
    const { prisma, follower } = this.parts
    this.lease.revoke()
    const { mode, address } = this
    const self = { id: this.id, ...this.info, mode, address, process: processIdentity() }
    const index = await joinMember(prisma, self)
    const joinedAt = performance.now()
    while (performance.now() - joinedAt < LEASE_MS + LEASE_MARGIN_MS && (await this.mayBeUnknown(index))) {
      await new Promise((resolve) => setTimeout(resolve, JOIN_POLL_MS))
    }
    await follower.reach(index)
  }

  /**
   * A datacenter has a database of its own: local tokens of one that it shared would hold in the other. Of two that start
   * at once, at least one sees the other.
   */
  private async refuseOtherDatacenter(): Promise<void> {
    const { datacenter } = this.info
    const others = await withAclErrors(() =>
      this.parts.prisma.member.findMany({
        where: { datacenter: { not: datacenter }, leftAt: null, isFenced: false },
      }),
    )
    const deadBefore = this.parts.clock.now() - MEMBER_FAILED_AFTER_MS
    const living = others.find(
      ({ heartbeatAt, process }) => heartbeatAt.getTime() >= deadBefore && !isProcessGone(process),
    )
    if (!living) return
    throw new StartError(
      `Servers of the datacenter "${living.datacenter}" use this database, and this server is of "${datacenter}".\nA datacenter has a database of its own: set another DATABASE_URL, or the same LATCHKEY_DATACENTER for all.`,
    )
  }

  /** Whether another process may not know yet that this one has joined with `index`, and rely on being alone. */
  private async mayBeUnknown(index: number): Promise<boolean> {
    const others = await withAclErrors(() =>
      this.parts.prisma.member.findMany({
        where: { id: { not: this.id }, leftAt: null, isFenced: false, seenIndex: { lt: index } },
      }),
    )
    const leaseEnd = this.parts.clock.databaseNow() - LEASE_MS - LEASE_MARGIN_MS
    const waiting = others.filter(({ heartbeatAt }) => heartbeatAt.getTime() > leaseEnd)
    for (const { id, process } of others)
      if (isProcessGone(process)) await removeMember(this.parts.prisma, id, true)
    return waiting.some(({ process }) => !isProcessGone(process))
  }

  private async keepBeating(): Promise<void> {
    const { heartbeat, log } = this.parts
    for (;;) {
      await heartbeat.sleep(MEMBER_HEARTBEAT_MS)
      if (this.isClosed) return
      await this.beat().catch((error: unknown) => {
        log.debug({ err: error }, 'a heartbeat failed; the next one follows')
      })
    }
  }

  /** One heartbeat at a time, so that none can overtake a later one that says something else. */
  private beat(): Promise<void> {
    const beat = () => this.beatNow()
    this.beating = this.beating.then(beat, beat)
    return this.beating
  }

  /** It is the poll of the counter, too: what was not heard of is caught up with. */
  private async beatNow(): Promise<void> {
    const { prisma, state, follower, clock, changes } = this.parts
    const { id, mode, address } = this
    try {
      const askedAt = performance.now()
      const { version } = changes
      const is_leader = this.parts.isLeader()
      const beat = { id, mode, address, is_leader, seen_index: state.appliedIndex, ...clock.opinion() }
      const answer = await beatMember(prisma, beat, MEMBER_FAILED_AFTER_MS)
      if (!answer.is_member) {
        if (!this.isClosed) await this.join()
        return
      }
      clock.measure(answer.now, askedAt, performance.now())
      clock.settle(answer.clock ?? undefined, is_leader)
      if (askedAt - this.beatenAt > MEMBER_FAILED_AFTER_MS) this.observedSince = answer.now
      this.beatenAt = askedAt
      await follower.reach(answer.index, askedAt)
      // What was applied meanwhile may be newer than the answer.
      const isSame = version === changes.version
      if (answer.others === 0 && isSame && !this.isClosed) this.lease.grant(askedAt)
    } catch (error) {
      follower.noteFailure()
      throw error
    }
  }
}
