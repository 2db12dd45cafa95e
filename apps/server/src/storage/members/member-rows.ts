/**
 * Writes to the table of members: SQL functions, one statement each. Everything else about members uses Prisma's typed
 * client. Joins and departures are commits and take the lock that all commits wait for; a heartbeat fences others under
 * the same lock. Typed transactions of six statements would hold that lock for six round trips: a paused process would
 * stop every writer, and starts on a busy machine exceeded the time limit. The functions also take all times from the
 * database's clock, which the typed client cannot read.
 */
import { MEMBER_FAILED_AFTER_MS } from '@latchkey/acl'
import { withAclErrors } from '../../database/database-error.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
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
 * Adds a member, or readmits one.
 *
 * @param member its columns; `beat` counts with its heartbeats, so that a late join has no effect.
 * @param waited the id of a closing whose leases have all ended.
 * @returns the index of the join, or the leases that must end first.
 * @throws AclError `unavailable`
 */
export async function joinMember(
  prisma: PrismaClient,
  member: object,
  waited: string | undefined,
): Promise<{ readonly index: number } | Closing> {
  const json = JSON.stringify(member)
  const [row] = await withAclErrors(
    () => prisma.$queryRaw<{ answer: { index: number } | Closing }[]>`
      SELECT latchkey_enter(${json}::jsonb, ${waited ?? null}::text) AS answer`,
  )
  if (!row) throw new TypeError('latchkey_enter returned no row')
  return row.answer
}

/** @throws AclError `unavailable` */
export async function beatMember(prisma: PrismaClient, beat: object): Promise<HeartbeatAnswer> {
  const json = JSON.stringify(beat)
  const [row] = await withAclErrors(
    () => prisma.$queryRaw<{ answer: HeartbeatAnswer }[]>`
      SELECT latchkey_heartbeat(${json}::jsonb, ${MEMBER_FAILED_AFTER_MS}::int * interval '1 ms') AS answer`,
  )
  if (!row) throw new TypeError('latchkey_heartbeat returned no row')
  return row.answer
}

/**
 * @returns the leases that must end before the author commits; undefined if there are none.
 * @throws AclError `unavailable`
 */
export async function closeLeases(
  prisma: PrismaClient,
  { memberId, beat }: { readonly memberId: string; readonly beat: number },
): Promise<Closing | undefined> {
  const [row] = await withAclErrors(
    () => prisma.$queryRaw<{ closing: Closing | null }[]>`
      SELECT latchkey_close_leases(${memberId}, ${beat}::bigint, NULL) AS closing`,
  )
  return row?.closing ?? undefined
}

/**
 * @param isDead fence a member whose process is gone, instead of recording that it left.
 * @param lastBeat remove it only if this was its last heartbeat. Default: always.
 * @throws AclError `unavailable`
 */
export async function removeMember(
  prisma: PrismaClient,
  id: string,
  isDead: boolean,
  lastBeat?: bigint | null,
): Promise<void> {
  await withAclErrors(
    () => prisma.$executeRaw`SELECT latchkey_leave(${id}, ${isDead}, ${lastBeat ?? null}::bigint)`,
  )
}
