/**
 * What a process writes of members: SQL functions, one statement each; everything else about members goes through
 * Prisma's typed client. A join and a departure are commits and take the lock that all commits wait for, and a
 * heartbeat fences others under it. As typed transactions of six statements they would hold that lock over six round trips:
 * a paused process would stop every writer, and a start on a busy machine failed at the time limit. The functions
 * also take every time from the database's clock, which the typed client cannot read.
 */
import type { Member, MemberMode } from '@latchkey/acl'
import { withAclErrors } from '../../database/database-error.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import type { ClockOpinion } from './database-clock.ts'

interface JoiningMember extends Pick<Member, 'id' | 'datacenter' | 'node' | 'version' | 'mode'> {
  readonly address: string
  readonly process: string
}

/** Columns of `member`, as `latchkey_heartbeat` takes them. */
interface Heartbeat {
  readonly id: string
  readonly mode: MemberMode
  readonly address: string
  readonly is_leader: boolean
  readonly seen_index: number
  readonly clock_ahead_ms?: number
  readonly clock_measured_ms?: number
  /** What {@link Membership.setReplication} was given. */
  readonly replication: object | undefined
}

/**
 * The answer of `latchkey_heartbeat`. `others`: members that may commit. `now`: the database's clock, in milliseconds.
 * `clock`: another process's opinion of that clock.
 */
type HeartbeatAnswer =
  | { readonly is_member: false }
  | {
      readonly is_member: true
      readonly index: number
      readonly now: number
      readonly others: number
      readonly clock: ClockOpinion | null
    }

/**
 * Adds a member, or readmits one.
 *
 * @returns the index of the join.
 * @throws AclError `unavailable`
 */
export async function joinMember(prisma: PrismaClient, member: JoiningMember): Promise<number> {
  const json = JSON.stringify(member)
  const [row] = await withAclErrors(
    () => prisma.$queryRaw<{ answer: { index: number } }[]>`SELECT latchkey_join(${json}::jsonb) AS answer`,
  )
  if (!row) throw new TypeError('latchkey_join returned no row')
  return row.answer.index
}

/** @throws AclError `unavailable` */
export async function beatMember(
  prisma: PrismaClient,
  beat: Heartbeat,
  failedAfterMs: number,
): Promise<HeartbeatAnswer> {
  const json = JSON.stringify(beat)
  const [row] = await withAclErrors(
    () => prisma.$queryRaw<{ answer: HeartbeatAnswer }[]>`
      SELECT latchkey_heartbeat(${json}::jsonb, ${failedAfterMs}::int * interval '1 ms') AS answer`,
  )
  if (!row) throw new TypeError('latchkey_heartbeat returned no row')
  return row.answer
}

/**
 * @param isDead fence a member whose process is gone, instead of recording that it left.
 * @throws AclError `unavailable`
 */
export async function removeMember(prisma: PrismaClient, id: string, isDead: boolean): Promise<void> {
  await withAclErrors(() => prisma.$executeRaw`SELECT latchkey_leave(${id}, ${isDead})`)
}
