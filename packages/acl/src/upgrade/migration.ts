/**
 * The accessor migration: every legacy token gets exactly one accessor, in batches. Spec 8, 9.2.3;
 * ambiguities: decisions, upgrade. One elected process of the primary datacenter works in rounds: it reads
 * the record of the last batch, waits for {@link nextBatchAt}, reads tokens without an accessor, plans, and
 * commits the converted tokens together with {@link recordBatch}, on the condition that none of these records
 * has changed. Because the batch record is in the same commit, the rate limit holds across processes and
 * kills: a process that missed the last batch cannot commit the next.
 */

import { invariant } from '@latchkey/contract'
import {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  ANONYMOUS_TOKEN_SECRET_ID,
  GLOBAL_MANAGEMENT_POLICY_ID,
} from '../builtin.ts'
import { isReservedId } from '../ids.ts'
import { hasLinks } from '../links.ts'
import { type Random, randomUuid } from '../ports.ts'
import type { TokenRecord } from '../records/records.ts'
import type { AclModeRecord, MigrationRecord } from '../records/system-records.ts'
import { withTokenHash } from '../token/create-token.ts'

/** Maximum legacy tokens per batch, and minimum time between two batches. Spec 8. */
export const ACCESSOR_BATCH_SIZE_MAX = 128
export const ACCESSOR_BATCH_INTERVAL_MS_MIN = 1_000

/** A pause after which batches form a new run; far longer than a new election takes. */
const RUN_GAP_MS_MIN = 60_000

/** Attempts to draw a free accessor before its token is left for the next batch. */
const DRAWS_MAX = 8

export const NO_BATCHES: MigrationRecord = { batches: 0, done: 0, lastBatchAt: undefined, run: undefined }

/** One token of a batch, as read, with its accessor. */
export interface PlannedAccessor {
  readonly token: TokenRecord
  readonly accessorId: string
}

type Places = readonly (readonly [from: number, to: number])[]

/** The next batch: the first 128 positions of the waiting tokens. */
export function nextBatch(waiting: Places, sizeMax: number = ACCESSOR_BATCH_SIZE_MAX): [number, number][] {
  const taken: [number, number][] = []
  let left = sizeMax
  for (const [from, to] of waiting) {
    if (left === 0) break
    const end = Math.min(to, from + left)
    taken.push([from, end])
    left -= end - from
  }
  return taken
}

/**
 * Plans the next batch: the first 128 tokens without an accessor, in CreateIndex order (ties as given), each with a free
 * random accessor, the anonymous token with its fixed one. Skips a token for which no free accessor is drawn.
 * @param isTaken whether an id is known to be in use; the store checks uniqueness at the commit.
 */
export function planBatch(
  tokens: readonly TokenRecord[],
  { random, isTaken }: { readonly random: Random; readonly isTaken: (id: string) => boolean },
): readonly PlannedAccessor[] {
  const planned = new Set<string>()
  return selectBatch(tokens).flatMap((token) => {
    const accessorId =
      token.SecretID === ANONYMOUS_TOKEN_SECRET_ID
        ? ANONYMOUS_TOKEN_ACCESSOR_ID
        : drawFreeId(random, (id) => planned.has(id) || isTaken(id))
    if (accessorId === undefined) return []
    planned.add(accessorId)
    return [{ token, accessorId }]
  })
}

/**
 * The token with its accessor. A management token without links gets a link to global-management; the hash is
 * recomputed. Everything else is unchanged: CreateTime stays the zero time, so an expiration by TTL can never apply.
 * ModifyIndex is as read, as the condition of the commit.
 */
export function convertForMigration(token: TokenRecord, accessorId: string): TokenRecord {
  invariant(token.AccessorID === '', 'a token that has an accessor must not be given another')
  const needsLink = token.Type === 'management' && !hasLinks(token)
  const Policies = needsLink ? [{ ID: GLOBAL_MANAGEMENT_POLICY_ID }] : token.Policies
  return withTokenHash({ ...token, AccessorID: accessorId, Policies })
}

/**
 * The earliest instant of the next batch: now for the first batch, otherwise one second after the last.
 * @param lastBatchAt from the record in the store, regardless of which process wrote it.
 * @param now by the shared clock. If the clock was set back, the wait is longer by that amount.
 */
export function nextBatchAt(lastBatchAt: number | undefined, now: number): number {
  return lastBatchAt === undefined ? now : Math.max(now, lastBatchAt + ACCESSOR_BATCH_INTERVAL_MS_MIN)
}

/** Batches needed for this many tokens. Spec 8. */
export function batchCountOf(tokens: number): number {
  return Math.ceil(tokens / ACCESSOR_BATCH_SIZE_MAX)
}

/** The minimum time from the first to the last batch of this many tokens, in milliseconds. */
export function batchesDurationMs(tokens: number): number {
  return Math.max(0, batchCountOf(tokens) - 1) * ACCESSOR_BATCH_INTERVAL_MS_MIN
}

/**
 * The record with one more batch, to be committed with the batch.
 * @param at the instant of the commit, by the shared clock.
 * @throws an invariant error for a batch that is too large, empty, or too early.
 */
export function recordBatch(
  record: MigrationRecord,
  { at, tokens }: { readonly at: number; readonly tokens: number },
): MigrationRecord {
  invariant(tokens > 0 && tokens <= ACCESSOR_BATCH_SIZE_MAX, `a batch of ${tokens} tokens`)
  const { batches, done, lastBatchAt, run } = record
  invariant(nextBatchAt(lastBatchAt, at) === at, `a batch ${at - (lastBatchAt ?? at)} ms after the last one`)
  const continuesRun = run !== undefined && lastBatchAt !== undefined && at - lastBatchAt < RUN_GAP_MS_MIN
  return {
    batches: batches + 1,
    done: done + tokens,
    lastBatchAt: at,
    run: continuesRun ? { startedAt: run.startedAt, tokens: run.tokens + tokens } : { startedAt: at, tokens },
  }
}

function selectBatch(tokens: readonly TokenRecord[]): readonly TokenRecord[] {
  const waiting = tokens
    .filter((token) => token.AccessorID === '')
    .sort((a, b) => a.CreateIndex - b.CreateIndex)
  return nextBatch([[0, waiting.length]]).flatMap(([from, to]) => waiting.slice(from, to))
}

function drawFreeId(random: Random, isTaken: (id: string) => boolean): string | undefined {
  for (let draw = 0; draw < DRAWS_MAX; draw += 1) {
    const id = randomUuid(random)
    if (!isReservedId(id) && !isTaken(id)) return id
  }
  return undefined
}

interface MigrationProgress {
  /**
   * `waiting`: legacy mode has not ended, or this datacenter is a secondary, which receives accessors with the tokens;
   * `running`: tokens remain; `done`: none remain, until another legacy token is created.
   */
  readonly state: 'waiting' | 'running' | 'done'
  readonly done: number
  readonly total: number
  readonly batches: number
  /** Tokens per second since the last long pause between batches; 0 before the first batch. */
  readonly rate: number
  /** Minimum seconds until the last batch at the allowed rate; concurrent changes add to it. */
  readonly estimateSeconds: number
}

export interface MigrationState {
  readonly record: MigrationRecord
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
