/**
 * Writes to the table of members by SQL functions, one statement each: typed transactions would hold the lock that all
 * commits wait for over six round trips. The functions also take all times from the database's clock.
 */
import { MEMBER_FAILED_AFTER_MS } from '@latchkey/acl'
import { withAclErrors } from '../../database/database-error.ts'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { ClockOpinion } from './database-clock.ts'
import type { Closing } from './leases/lease.ts'

/**
 * The answer of `latchkey_heartbeat`. `others`: members that may commit. `now`: the database's clock, in milliseconds.
 * `lease`: whether the sender has a lease, which runs from its request. `closing`: the id of the closing in progress.
 * `clock`: another process's opinion of the database's clock.
 */
type HeartbeatAnswer =
  | { readonly is_member: false }
  | {
      readonly is_member: true
      readonly index: number
      readonly now: number
      readonly others: number
      readonly lease: boolean
      readonly closing: string | null
      readonly clock: ClockOpinion | null
    }

/**
 * Adds a member, or readmits one. @param member `beat` counts with its heartbeats: a late join has no effect.
 * @param waited the id of a closing whose leases have ended. @returns the index, or the leases that must end first.
 */
export function joinMember(
  prisma: PrismaClient,
  member: object,
  waited: string | undefined,
): Promise<{ readonly index: number } | Closing> {
  const json = JSON.stringify(member)
  return ask(prisma, Prisma.sql`latchkey_enter(${json}::jsonb, ${waited ?? null}::text)`)
}

export function beatMember(prisma: PrismaClient, beat: object): Promise<HeartbeatAnswer> {
  const json = JSON.stringify(beat)
  const failedAfter = Prisma.sql`${MEMBER_FAILED_AFTER_MS}::int * interval '1 ms'`
  return ask(prisma, Prisma.sql`latchkey_heartbeat(${json}::jsonb, ${failedAfter})`)
}

/** @returns the leases that must end before the author commits. */
export function closeLeases(
  prisma: PrismaClient,
  { memberId, beat }: { readonly memberId: string; readonly beat: number },
): Promise<Closing | null> {
  return ask(prisma, Prisma.sql`latchkey_close_leases(${memberId}, ${beat}::bigint, NULL)`)
}

/** @param isDead fence a member whose process is gone. @param lastBeat remove it only after this heartbeat. */
export async function removeMember(
  prisma: PrismaClient,
  id: string,
  isDead: boolean,
  lastBeat: bigint | null = null,
): Promise<void> {
  // As text: Prisma cannot read the type `void`.
  await ask(prisma, Prisma.sql`latchkey_leave(${id}, ${isDead}, ${lastBeat}::bigint)::text`)
}

/** @throws AclError `unavailable` */
async function ask<T>(prisma: PrismaClient, call: Prisma.Sql): Promise<T> {
  const [row] = await withAclErrors(() => prisma.$queryRaw<{ answer: T }[]>`SELECT ${call} AS answer`)
  if (!row) throw new TypeError('a statement about members returned no row')
  return row.answer
}
