import { MEMBER_FAILED_AFTER_MS } from '@latchkey/acl'
import { withAclErrors } from '../../database/database-error.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { StartError } from '../../start-error.ts'
import { type Closing, LEASE_MARGIN_MS, LEASE_MS } from './leases/lease.ts'
import type { LeaseClosing } from './leases/lease-closing.ts'
import { type JoiningMember, joinMember, removeMember } from './member-rows.ts'
import { isProcessGone } from './process-identity.ts'

/** How often a joining process checks whether members of release 0.1 have learned of it. */
const POLL_MS = 25

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
    const self = member()
    const answer = await joinMember(prisma, self, ending?.id)
    if ('epoch' in answer) {
      ending = answer
      await closing.ended(ending)
      continue
    }
    const joinedAt = performance.now()
    while (await mayBeUnknown(prisma, self.id, answer.index)) {
      if (performance.now() - joinedAt >= LEASE_MS + LEASE_MARGIN_MS) break
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    return answer.index
  }
}

/**
 * Whether a member of release 0.1 may not have applied the join at `index` yet, and may rely on being the only member.
 * Removes members whose processes are gone.
 */
async function mayBeUnknown(prisma: PrismaClient, id: string, index: number): Promise<boolean> {
  const others = await withAclErrors(() =>
    prisma.member.findMany({
      where: { id: { not: id }, leftAt: null, isFenced: false, seenIndex: { lt: index } },
      select: { id: true, process: true, beat: true },
    }),
  )
  const gone = others.filter(({ process }) => isProcessGone(process))
  for (const { id } of gone) await removeMember(prisma, id, true)
  return others.some((other) => other.beat === null && !gone.includes(other))
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
    prisma.member.findMany({
      where: { datacenter: { not: datacenter }, leftAt: null, isFenced: false },
    }),
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
