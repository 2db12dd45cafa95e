/** How far the accessor migration is, for people and for the migrator. Spec 9.2.3 gives it no shape: an extension. */
import {
  ACCESSOR_BATCH_INTERVAL_MS_MIN,
  batchesDurationMs,
  type MigrationRecord,
  nextBatchAt,
} from './migration.ts'
import type { AclModeRecord } from './mode.ts'

export interface MigrationProgress {
  /**
   * `waiting`: legacy mode has not ended, or this datacenter is a secondary, which gets accessors by replication;
   * `running`: tokens are left; `done`: none are, until another legacy token is created.
   */
  readonly state: 'waiting' | 'running' | 'done'
  /** Tokens that were given an accessor. */
  readonly done: number
  /** Those and the ones that are left. */
  readonly total: number
  readonly batches: number
  /** Tokens a second, measured on the batches since the last long pause; 0 before the first batch. */
  readonly rate: number
  /** Minimum seconds to the last batch at the allowed rate; concurrent changes add to it. 0 if no token is left. */
  readonly estimateSeconds: number
}

export interface MigrationState {
  readonly record: MigrationRecord
  /** Tokens without an accessor now. */
  readonly remaining: number
  readonly aclMode: AclModeRecord
  readonly isPrimary: boolean
  readonly now: number
}

export function migrationProgress(state: MigrationState): MigrationProgress {
  const { record, remaining } = state
  return {
    state: stateOf(state),
    done: record.done,
    total: record.done + remaining,
    batches: record.batches,
    rate: rateOf(record),
    estimateSeconds: secondsLeft(state),
  }
}

function stateOf({ aclMode, isPrimary, remaining }: MigrationState): MigrationProgress['state'] {
  if (aclMode.mode === 'legacy' || !isPrimary) return 'waiting'
  return remaining === 0 ? 'done' : 'running'
}

/** Each batch takes up one interval, the last one too: 128 tokens in one batch are 128 a second. */
function rateOf({ run, lastBatchAt }: MigrationRecord): number {
  if (run === undefined || lastBatchAt === undefined) return 0
  const ms = lastBatchAt - run.startedAt + ACCESSOR_BATCH_INTERVAL_MS_MIN
  return Math.round((run.tokens / ms) * 10_000) / 10
}

function secondsLeft({ record, remaining, now }: MigrationState): number {
  if (remaining === 0) return 0
  const lastAt = nextBatchAt(record.lastBatchAt, now) + batchesDurationMs(remaining)
  return (lastAt - now) / 1_000
}
