/** The status of replication in a secondary datacenter. */

import type { AppliedCounts } from './apply/changes-for.ts'
import type { AuditResult } from './audit.ts'

/**
 * `copying`: the first copy or a repair is in progress. `following`: the last request was answered, or is not yet overdue.
 * `waiting`: the primary does not answer. `paused`: its answer must not be applied; stored records stay unchanged.
 */
export type ReplicationState = 'copying' | 'following' | 'waiting' | 'paused'

export interface ReplicationProgress {
  readonly state: ReplicationState
  /** Why replication is paused: a text for operators. */
  readonly pausedBy: string | undefined
  /** When the primary last sent an applicable answer, in milliseconds since the epoch. */
  readonly lastSuccess: number | undefined
  readonly lastError: number | undefined
  readonly lastErrorMessage: string | undefined
  /** Commit index of the primary in its last answer; 0 if there was none. */
  readonly primaryIndex: number
  /** ID of the primary's store in its last answer. */
  readonly primaryCluster: string | undefined
  /** Commit index of the primary up to which records are stored here; 0 until the first copy is complete. */
  readonly index: number
  readonly lagIndex: number
  /** For how long the stored records may have been out of date; `undefined` if this process has never seen them up to date. */
  readonly lagMs: number | undefined
  /** The primary's clock minus the local clock, at its last answer. */
  readonly clockOffsetMs: number | undefined
  /** Records that a repair has collected, or that a first copy has stored since this process began it. */
  readonly copied: number
}

/** What one step of replication did. */
export interface ReplicationStep {
  /**
   * `applied`: a later state is stored. `unchanged`: nothing was new. `copied`: part of a copy or repair is done. `paused`,
   * `failed`: see {@link ReplicationProgress}. `ended`: an operator made this datacenter the primary.
   */
  readonly outcome: 'applied' | 'unchanged' | 'copied' | 'paused' | 'failed' | 'ended'
  /** How long to wait before the next step, in milliseconds. */
  readonly waitMs: number
  /** Number of records written and deleted. */
  readonly counts?: AppliedCounts
  readonly error?: unknown
  /** Set if an audit has ended since the last step: the kinds whose records differed from the primary's. A repair follows. */
  readonly audit?: AuditResult
}
