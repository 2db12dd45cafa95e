/**
 * How a secondary datacenter becomes the primary, and how another store may replace its records. Decisions: promotion.
 */
import { AclError, formatInstant } from '@latchkey/contract'
import type { ClusterRecord, ReplicationRecord } from '../records/replication.ts'

/**
 * Distance from the last known index of the old primary to the first index of the new primary. At 1,500 writes a
 * second, the old primary would reach it after 33 days.
 */
export const PROMOTION_INDEX_GAP = 2 ** 32

/** The state of a datacenter at an operator's decision. */
export interface ReplicationFacts {
  readonly datacenter: string
  /** From its settings. */
  readonly primaryDatacenter: string
  readonly cluster: ClusterRecord
  readonly replication: ReplicationRecord | undefined
  /** The commit index of its own store. */
  readonly commitIndex: number
  /** Whether bootstrap was completed here, which never happens in a secondary. */
  readonly isBootstrapped: boolean
}

interface PromotionContext {
  /**
   * When the primary last answered, in words; `undefined` if it has not answered for a while, or if it is irrelevant.
   */
  readonly answered: string | undefined
  readonly id: string
  readonly now: number
}

/** Decides a promotion. */
export function promote(facts: ReplicationFacts, context: PromotionContext) {
  const { datacenter, primaryDatacenter, cluster, replication, commitIndex } = facts
  const { answered, id, now } = context
  if (datacenter === primaryDatacenter || cluster.promoted) {
    throw refused(`${datacenter} is the primary datacenter already`)
  }
  if (replication?.withoutTokens) {
    throw refused(
      `${datacenter} does not replicate tokens, so they would be lost: promote another datacenter`,
    )
  }
  if (!replication || replication.index === 0) {
    throw refused(`the first copy of the records of ${primaryDatacenter} is not complete`)
  }
  if (answered !== undefined) {
    throw refused(
      `${primaryDatacenter} answered ${answered}: stop its servers first, so that there are not two primaries, or repeat with Force`,
    )
  }
  const above = Math.max(commitIndex, replication.index) + PROMOTION_INDEX_GAP
  if (!Number.isSafeInteger(above + PROMOTION_INDEX_GAP)) throw refused('the commit index is at its end')
  return {
    cluster: { ID: id, promoted: { at: formatInstant(now), from: primaryDatacenter } },
    followed: replication,
    above,
  }
}

/**
 * Accepts that the records of another store replace those of this datacenter. A former primary records the
 * state of its own store. The store that it follows is compared with this state, as after any other change of
 * the store. @returns the records to write. The cluster record is no longer marked as promoted.
 */
export function acceptCluster(
  accepted: string,
  facts: ReplicationFacts,
): { readonly cluster: ClusterRecord; readonly replication: ReplicationRecord } {
  const { datacenter, primaryDatacenter, cluster, replication } = facts
  if (datacenter === primaryDatacenter) {
    throw refused(
      `${datacenter} is the primary datacenter by its settings: name another one in LATCHKEY_PRIMARY_DATACENTER first`,
    )
  }
  if (accepted === cluster.ID) throw refused(`${accepted} is the store of ${datacenter} itself`)
  return {
    cluster: { ID: cluster.ID },
    replication: { ...(replication ?? beforeFollowing(facts)), accepted },
  }
}

/** The initial replication state: empty, or the state of the store of a former primary. */
export function beforeFollowing(
  facts: Pick<ReplicationFacts, 'cluster' | 'commitIndex' | 'isBootstrapped'>,
): ReplicationRecord {
  const { cluster, commitIndex, isBootstrapped } = facts
  return isBootstrapped
    ? { cluster: cluster.ID, index: commitIndex, skipped: [] }
    : { cluster: '', index: 0, skipped: [] }
}

/**
 * Whether a reader has followed a primary that was promoted to replace this one: its index is far above every index of
 * this store. A store that lost commits, such as a restored one, is behind by less.
 */
export function hasSeenPromotion(index: number, commitIndex: number): boolean {
  return index - commitIndex >= PROMOTION_INDEX_GAP / 2
}

function refused(reason: string): AclError {
  return new AclError('replication_refused', reason)
}
