/** How a secondary datacenter becomes the primary, and how another store may replace what it has. Decisions: promotion. */
import { AclError, formatInstant } from '@latchkey/contract'
import type { ClusterRecord, ReplicationRecord } from '../records/replication.ts'

/**
 * Distance from the last known index of the old primary to the first of the new one. The old primary would need 33 days at
 * 1,500 writes a second to give one of its indexes.
 */
export const PROMOTION_INDEX_GAP = 2 ** 32

/** What a datacenter has when an operator decides. */
export interface ReplicationFacts {
  readonly datacenter: string
  /** As its settings say. */
  readonly primaryDatacenter: string
  readonly cluster: ClusterRecord
  readonly replication: ReplicationRecord | undefined
  /** Of its own store. */
  readonly commitIndex: number
  /** Whether a first management token was made here: a secondary never has one of its own. */
  readonly isBootstrapped: boolean
}

interface PromotionContext {
  /** When the primary last answered, in words; `undefined` if it has not for a while, or if that does not matter. */
  readonly answered: string | undefined
  /** New id of the store. */
  readonly id: string
  readonly now: number
}

interface Promotion {
  readonly cluster: ClusterRecord
  readonly followed: ReplicationRecord
  /** The commit of the promotion has an index above this. */
  readonly above: number
}

/**
 * Decides a promotion.
 *
 * @throws AclError `replication_refused` where records would be missing, or two primaries would serve.
 */
export function promote(facts: ReplicationFacts, context: PromotionContext): Promotion {
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
 * Lets the records of a store replace what is here.
 *
 * A datacenter that was a primary shows the state of its own store: what it follows is compared with that, like after
 * any other change of the store.
 *
 * @returns the records to write. That of the cluster is no longer promoted.
 * @throws AclError `replication_refused` in a primary datacenter.
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

/** Where replication begins: with nothing, or with the state of a store that was a primary. */
export function beforeFollowing(
  facts: Pick<ReplicationFacts, 'cluster' | 'commitIndex' | 'isBootstrapped'>,
): ReplicationRecord {
  const { cluster, commitIndex, isBootstrapped } = facts
  return isBootstrapped
    ? { cluster: cluster.ID, index: commitIndex, skipped: [] }
    : { cluster: '', index: 0, skipped: [] }
}

/**
 * Whether a reader has followed a primary that was promoted in place of this one: its index is far above every index that
 * this store has given. A store that lost commits, such as a restored one, is behind by less.
 */
export function hasSeenPromotion(index: number, commitIndex: number): boolean {
  return index - commitIndex >= PROMOTION_INDEX_GAP / 2
}

function refused(reason: string): AclError {
  return new AclError('replication_refused', reason)
}
