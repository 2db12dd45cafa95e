/** Progress of the accessor migration, for people and for the migrator. An extension of spec 9.2.3. */

import type { AclModeRecord, MigrationRecord } from '../records/system-records.ts'
import { ACCESSOR_BATCH_INTERVAL_MS_MIN, batchesDurationMs, nextBatchAt } from './migration.ts'

interface MigrationProgress {
  /**
   * `waiting`: legacy mode has not ended, or this datacenter is a secondary, which receives accessors with the tokens;
   * `running`: tokens remain; `done`: none remain, until another legacy token is created.
   */
  readonly state: 'waiting' | 'running' | 'done'
  /** Migrated tokens. */
  readonly done: number
  /** Migrated and remaining tokens. */
  readonly total: number
  readonly batches: number
  /** Tokens per second since the last long pause between batches; 0 before the first batch. */
  readonly rate: number
  /** Minimum seconds until the last batch at the allowed rate; concurrent changes add to it. */
  readonly estimateSeconds: number
}

export interface MigrationState {
  readonly record: MigrationRecord
  /** Tokens without an accessor. */
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
  if (aclMode.mode === 'legacy') return 'waiting'
  if (remaining === 0) return 'done'
  return isPrimary ? 'running' : 'waiting'
}

/** Every batch, including the last, takes one interval: one batch of 128 tokens gives 128 a second. */
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
