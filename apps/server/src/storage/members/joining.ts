import { MEMBER_FAILED_AFTER_MS } from '@latchkey/acl'
import { withAclErrors } from '../../database/database-error.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { StartError } from '../../start-error.ts'
import type { Closing } from './leases/lease.ts'
import type { LeaseClosing } from './leases/lease-closing.ts'
import { type JoiningMember, joinMember } from './member-rows.ts'
import { isProcessGone } from './process-identity.ts'

/**
 * Adds a member, or readmits one, after all leases have ended.
 *
 * @param member called for each attempt, each with a new number.
 * @returns the index of the join.
 * @throws AclError `unavailable`
 */
export async function enter(
  prisma: PrismaClient,
  closing: LeaseClosing,
  member: () => JoiningMember,
): Promise<number> {
  let ending: Closing | undefined
  for (;;) {
    const answer = await joinMember(prisma, member(), ending?.id)
    if (!('epoch' in answer)) return answer.index
    ending = answer
    await closing.ended(ending)
  }
}

/**
 * Each datacenter needs its own database: on a shared one, local tokens would be valid in both. If two start at the
 * same time, at least one sees the other.
 *
 * @param now by the clock of the database.
 * @throws StartError
 */
export async function refuseOtherDatacenter(
  prisma: PrismaClient,
  datacenter: string,
  now: number,
): Promise<void> {
  const others = await withAclErrors(() =>
    prisma.member.findMany({ where: { datacenter: { not: datacenter }, leftAt: null, isFenced: false } }),
  )
  const deadBefore = now - MEMBER_FAILED_AFTER_MS
  const living = others.find(
    ({ heartbeatAt, process }) => heartbeatAt.getTime() >= deadBefore && !isProcessGone(process),
  )
  if (!living) return
  throw new StartError(
    `Servers of the datacenter "${living.datacenter}" use this database, and this server is of "${datacenter}".\nEach datacenter needs its own database: set another DATABASE_URL, or the same LATCHKEY_DATACENTER for all.`,
  )
}
