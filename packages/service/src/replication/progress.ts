/** The status of replication in a secondary datacenter. */

import type { AppliedCounts } from './apply/changes-for.ts'
import type { AuditResult } from './audit.ts'

/**
 * `copying`: the first copy or a repair is in progress. `following`: the last request was answered, or is not yet overdue. `waiting`: the
 * primary gives no answer. `paused`: its answer must not be applied; stored records stay unchanged.
 */
export type ReplicationState = 'copying' | 'following' | 'waiting' | 'paused'

export interface ReplicationProgress {
  readonly state: ReplicationState
  /** Why it is paused: a text for operators. */
  readonly pausedBy: string | undefined
  /** When the primary last gave an answer that could be applied, in milliseconds since the epoch. */
  readonly lastSuccess: number | undefined
  readonly lastError: number | undefined
  readonly lastErrorMessage: string | undefined
  /** Commit index of the primary in its last answer; 0 if there was none. */
  readonly primaryIndex: number
  /** Id of the primary's store in its last answer. */
  readonly primaryCluster: string | undefined
  /** Commit index of the primary whose state is stored here; 0 until the first copy is complete. */
  readonly index: number
  readonly lagIndex: number
  /** For how long what is stored here may have been out of date; `undefined` if this process has not seen it up to date. */
  readonly lagMs: number | undefined
  /** The clock of the primary minus the clock here, when it last answered. */
  readonly clockOffsetMs: number | undefined
  /** Records that a repair has collected, or a first copy has stored since it began here. */
  readonly copied: number
}

/** What one step of replication did. */
export interface ReplicationStep {
  /**
   * `applied`: the state of a later index is stored. `unchanged`: there was nothing new. `copied`: part of a copy or repair is done. `paused`,
   * `failed`: see {@link ReplicationProgress}. `ended`: an operator made this datacenter the primary.
   */
  readonly outcome: 'applied' | 'unchanged' | 'copied' | 'paused' | 'failed' | 'ended'
  /** How long to wait before the next step, in milliseconds. */
  readonly waitMs: number
  /** Records that were written and deleted. */
  readonly counts?: AppliedCounts
  readonly error?: unknown
  /** Set where an audit has ended since the last step: kinds whose records differed from the primary's. A repair follows. */
  readonly audit?: AuditResult
}
