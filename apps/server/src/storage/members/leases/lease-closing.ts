import { setTimeout as sleep } from 'node:timers/promises'
import type { BaseLogger } from 'pino'
import type { PrismaClient } from '../../../generated/prisma/client.ts'
import { removeMember } from '../member-rows.ts'
import { isProcessGone } from '../process-identity.ts'
import { type Closing, LEASE_MARGIN_MS, LEASE_MS, type Lease, type LeaseHolder } from './lease.ts'

interface LeaseClosingParts {
  readonly memberId: string
  readonly lease: Lease
  readonly beats: () => number
  readonly prisma: PrismaClient
  /** Notifies all members; does nothing without a change feed. */
  readonly tell: (message: string) => void
  /** Sends a heartbeat soon, which reports that this process holds no lease. */
  readonly beatSoon: () => void
  readonly log: BaseLogger
}

/** How often holders that do not answer are checked: their feed may be cut, or their process gone. */
const POLL_MS = 25

/**
 * Ends leases before a commit: the database announces `close EPOCH`; each member gives up its lease and answers `gone
 * EPOCH ID BEATS`, which means that it holds no lease granted to one of its first BEATS heartbeats. The writer waits
 * for the holders, or until their leases must have expired. If answers are missing, it sends `again EPOCH`, which
 * members also answer in their heartbeats, because a feed may be cut.
 */
export class LeaseClosing {
  private readonly parts: LeaseClosingParts
  /** The members that gave up their leases of an epoch, each with the number of heartbeats it had sent by then. */
  private gone = { epoch: '', beats: new Map<string, number>() }
  /** Resolves with the next message of a holder. */
  private heard = Promise.withResolvers<void>()
  /** The closing in progress, and when this process first heard of it. */
  private seen: { readonly id: string; readonly at: number } | undefined
  /** How often leases had to end before a commit or a join, and the longest time this took, in milliseconds. */
  readonly counts = { count: 0, longestMs: 0 }

  constructor(parts: LeaseClosingParts) {
    this.parts = parts
  }

  /** Handles a message about leases. */
  hear(message: string): void {
    const [kind, epoch = '', id = '', sent = ''] = message.split(' ')
    const { lease, beats, tell, beatSoon, memberId } = this.parts
    if (kind === 'close' || kind === 'again') {
      lease.drop()
      tell(`gone ${epoch} ${memberId} ${beats()}`)
      if (kind === 'again') beatSoon()
    } else if (kind === 'gone') {
      if (this.gone.epoch !== epoch) this.gone = { epoch, beats: new Map() }
      this.gone.beats.set(id, Number(sent))
      this.heard.resolve()
      this.heard = Promise.withResolvers()
    }
  }

  /** @param id the closing because of which a heartbeat was refused a lease; undefined if there was none. */
  note(id: string | undefined): void {
    if (id === undefined) {
      this.seen = undefined
      return
    }
    this.parts.lease.drop()
    if (this.seen?.id !== id) this.seen = { id, at: performance.now() }
  }

  /** The closing in progress, if its leases have expired: its writer may have died. */
  overdue(): string | undefined {
    const { seen } = this
    return seen && performance.now() - seen.at > LEASE_MS + LEASE_MARGIN_MS ? seen.id : undefined
  }

  /** Resolves when no lease of the epoch can still be valid. */
  async ended({ epoch, holders }: Closing): Promise<void> {
    const startedAt = performance.now()
    this.parts.lease.drop()
    const left = new Map(holders?.map((holder) => [holder.id, holder]))
    left.delete(this.parts.memberId)
    for (let polledAt = startedAt; ; ) {
      for (const { id, beat } of left.values()) if (this.isGone(epoch, id, beat)) left.delete(id)
      const now = performance.now()
      if ((holders && left.size === 0) || now - startedAt >= LEASE_MS + LEASE_MARGIN_MS) break
      if (now - polledAt < POLL_MS) {
        await Promise.race([this.heard.promise, sleep(POLL_MS, undefined, { ref: false })])
        continue
      }
      polledAt = now
      await this.look(epoch, left)
    }
    this.counts.count += 1
    this.counts.longestMs = Math.max(this.counts.longestMs, performance.now() - startedAt)
  }

  /** A database that crashed may have forgotten that the epoch ended, and may have granted another lease in it. */
  private isGone(epoch: string, id: string, beat: number): boolean {
    return this.gone.epoch === epoch && (this.gone.beats.get(id) ?? -1) >= beat
  }

  /** Removes holders whose process is gone or whose heartbeat reported no lease. */
  private async look(epoch: string, left: Map<string, LeaseHolder>): Promise<void> {
    const { prisma, log } = this.parts
    try {
      for (const { id, process } of left.values()) {
        if (!isProcessGone(process)) continue
        left.delete(id)
        await removeMember(prisma, id, true)
      }
      if (left.size === 0) return
      const holding = await prisma.$queryRaw<readonly { readonly id: string }[]>`
        SELECT id, pg_notify('latchkey_lease', ${`again ${epoch}`})::text FROM member
        WHERE id = ANY (${[...left.keys()]}::text[]) AND lease_epoch = ${epoch} AND left_at IS NULL`
      const ids = new Set(holding.map(({ id }) => id))
      for (const id of left.keys()) if (!ids.has(id)) left.delete(id)
    } catch (error) {
      log.debug({ err: error }, 'could not look up who holds a lease; time tells')
    }
  }
}
