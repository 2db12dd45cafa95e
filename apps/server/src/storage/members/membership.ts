import { randomUUID } from 'node:crypto'
import {
  isForgotten,
  MEMBER_FAILED_AFTER_MS,
  MEMBER_HEARTBEAT_MS,
  type Member,
  type MemberMode,
  observeMembers,
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

/** A server process as the other members see it. `address`: where it listens; empty until it does. */
interface StoreMember extends Member {
  readonly address: string
  /** What it last gave to {@link Membership.setReplication}. */
  readonly replication?: unknown
}

/** What a process publishes of itself when it joins. */
export interface MemberInfo {
  readonly datacenter: string
  readonly node: string
  readonly version: string
}

interface MembershipParts {
  readonly prisma: PrismaClient
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly clock: DatabaseClock
  readonly lease: Lease
  readonly changes: MemberChanges
  /** Interrupts the pause between two heartbeats. */
  readonly heartbeat: Alarm
  readonly log: BaseLogger
  /** Whether this process is the leader. */
  readonly isLeader: () => boolean
}

/** How often a joining process checks whether the other members know of it. */
const JOIN_POLL_MS = 25
/** Allows for clock drift over one lease. */
const LEASE_MARGIN_MS = 100

/**
 * This process's membership in the group that shares the database: one row, renewed by heartbeats.
 *
 * Three rules keep reads correct while members come and go. A process that is the only member holds a {@link Lease}
 * to answer from its own state. A joining process commits nothing before every other member has applied its join, or
 * has no lease any more. A member that was silent for {@link MEMBER_FAILED_AFTER_MS} is fenced: its commits are
 * refused until it has joined again.
 */
export class Membership {
  private readonly parts: MembershipParts
  private readonly id = randomUUID()
  private readonly info: MemberInfo
  private mode: MemberMode = 'unknown'
  private replication: object | undefined
  private address = ''
  private joining: Promise<void> | undefined
  private beating: Promise<void> = Promise.resolve()
  private isClosed = false
  /** When the last heartbeat was answered, by `performance.now()`. */
  private beatenAt = Number.NEGATIVE_INFINITY
  /** Start of the unbroken sequence of heartbeats, by the database's clock. */
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

  /** All members of this database, including failed ones and those that left, until they are forgotten. */
  async members(): Promise<readonly StoreMember[]> {
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

  /**
   * Deletes the rows of members of a node that failed or left.
   *
   * @returns how many there were; `alive` if one of them lives.
   */
  async forceLeave(node: string): Promise<number | 'alive'> {
    const known = (await this.members()).filter((member) => member.node === node)
    if (known.some(({ status }) => status === 'alive')) return 'alive'
    const ids = known.map(({ id }) => id)
    for (const id of ids) await removeMember(this.parts.prisma, id, true)
    await withAclErrors(() => this.parts.prisma.member.deleteMany({ where: { id: { in: ids } } }))
    return known.length
  }

  /** The leader; undefined while none is elected. */
  async leader(): Promise<StoreMember | undefined> {
    const leader = await withAclErrors(() =>
      this.parts.prisma.member.findFirst({ where: { isLeader: true }, orderBy: { heartbeatAt: 'desc' } }),
    )
    return (await this.members()).find(({ id }) => id === leader?.id)
  }

  /** Publishes where this process listens. */
  async announce(address: string): Promise<void> {
    this.address = address
    await this.beat()
  }

  /** Publishes this process's ACL mode. */
  async setMode(mode: MemberMode): Promise<void> {
    if (mode === this.mode) return
    this.mode = mode
    await this.beat()
  }

  /** Tells the other members how far replication is, with the next heartbeat; `undefined` unless this process replicates. */
  setReplication(progress: object | undefined): void {
    this.replication = progress
  }

  /**
   * Joins, and starts the heartbeats.
   *
   * @throws AclError `unavailable`; StartError if servers of another datacenter use this database.
   */
  async start(): Promise<void> {
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

  /**
   * Stops the heartbeats and leaves the group, if the database is reachable.
   *
   * @param isForGood the others do not wait for a successor.
   */
  async close(isForGood = false): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.parts.heartbeat.ring()
    this.lease.revoke()
    try {
      await removeMember(this.parts.prisma, this.id, false)
      if (isForGood) await this.parts.prisma.member.deleteMany({ where: { id: this.id } })
    } catch (error) {
      this.parts.log.warn(
        { err: error },
        'could not record its departure; the other members notice within seconds',
      )
    }
  }

  /** Deletes the rows of members that are gone for good. */
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
   * Each datacenter needs its own database: on a shared one, local tokens would be valid in both. Of two that start
   * at the same time, at least one sees the other.
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
      `Servers of the datacenter "${living.datacenter}" use this database, and this server is of "${datacenter}".\nEach datacenter needs its own database: set another DATABASE_URL, or the same LATCHKEY_DATACENTER for all.`,
    )
  }

  /** Whether another member may not have applied the join at `index` yet, and may rely on being alone. */
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
        log.debug({ err: error }, 'a heartbeat failed; the next one follows in a second')
      })
    }
  }

  /** One heartbeat at a time, so that none overtakes a later one with other content. */
  private beat(): Promise<void> {
    const beat = () => this.beatNow()
    this.beating = this.beating.then(beat, beat)
    return this.beating
  }

  /** A heartbeat also polls the commit index, and so catches up on missed notifications. */
  private async beatNow(): Promise<void> {
    const { prisma, state, follower, clock, changes } = this.parts
    const { id, mode, address, replication } = this
    try {
      const question = this.lease.ask()
      const { askedAt } = question
      const { version } = changes
      const is_leader = this.parts.isLeader()
      const beat = {
        id,
        mode,
        address,
        is_leader,
        seen_index: state.appliedIndex,
        replication,
        ...clock.opinion(),
      }
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
      // Changes applied since the question may be newer than the answer.
      const isSame = version === changes.version
      if (answer.others === 0 && isSame && !this.isClosed) this.lease.grant(question)
    } catch (error) {
      follower.noteFailure()
      throw error
    }
  }
}
