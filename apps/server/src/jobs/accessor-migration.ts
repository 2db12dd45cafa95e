/**
 * Gives accessors to legacy tokens, at the rate of spec 8 and 9.2.3. The rules are in acl; this provides the clock and
 * the store.
 */
import {
  ACCESSOR_BATCH_INTERVAL_MS_MIN,
  ACCESSOR_BATCH_SIZE_MAX,
  convertForMigration,
  type MigrationRecord,
  NO_BATCHES,
  nextBatchAt,
  type PlannedAccessor,
  planBatch,
  type Random,
  recordBatch,
  type TokenRecord,
} from '@latchkey/acl'
import { type Change, putSystem, type Store, StoreConflict, type TokenFilter } from '@latchkey/service'
import type { Logger } from 'pino'
import { pause } from './job.ts'

interface MigrationContext {
  readonly store: Store
  /** A secondary migrates only its local tokens: global tokens come from the primary, with their accessors. */
  readonly isSecondary: boolean
  readonly now: () => number
  readonly random: Random
  readonly log: Logger
  /** Called after each batch. */
  readonly onBatch: () => void
}

/** Pause between two attempts if every remaining token is being changed, in milliseconds. */
const CONTESTED_PAUSE_MS = 50

/**
 * Works until every token that this datacenter migrates has an accessor, or the signal aborts. Only the leader calls
 * it.
 *
 * A process that finds a new batch record, after its own commit, after another process's commit or at its start, knows
 * only that the commit became visible earlier, not when. It therefore waits a whole interval from then on, and the rate
 * holds across kills, commits of unknown outcome, and processes that wrongly believe they are the leader.
 *
 * @throws StoreConflict if a batch is refused although its tokens are unchanged; AclError `unavailable`.
 */
export async function migrateAccessors(context: MigrationContext, signal: AbortSignal): Promise<void> {
  const { store, now, random, log } = context
  await store.refresh('consistent')
  let seenBatches = 0
  let notBefore = now()
  /** The same by the monotonic clock, because the shared clock may be corrected forwards. */
  let notBeforeHere = performance.now()
  const waitInterval = () => {
    notBefore = now() + ACCESSOR_BATCH_INTERVAL_MS_MIN
    notBeforeHere = performance.now() + ACCESSOR_BATCH_INTERVAL_MS_MIN
  }
  log.info('assigning accessors')
  /**
   * Secrets of tokens that were changed while a batch with them was in flight. They are left out until a batch
   * succeeds.
   */
  const contested = new Set<string>()
  while ((await tokensWithoutAccessor(context, 1)).length > 0) {
    const last = readLast(store)
    const { batches, lastBatchAt } = last.record
    if (batches !== seenBatches) waitInterval()
    seenBatches = batches
    const dueAt = nextBatchAt(lastBatchAt, notBefore)
    const due = Math.max(performance.now() + dueAt - now(), notBeforeHere)
    await pauseUntil(dueAt, now, signal)
    await pauseUntil(notBeforeHere, () => performance.now(), signal)
    if (signal.aborted) return
    // Read after the wait, so that the plan sees the latest changes.
    const waiting = await tokensWithoutAccessor(context, ACCESSOR_BATCH_SIZE_MAX + contested.size)
    const free = waiting.filter((token) => !contested.has(token.SecretID))
    const plan = planBatch(free, { random, isTaken: () => false })
    if (plan.length === 0) {
      contested.clear()
      await pause(CONTESTED_PAUSE_MS, signal)
      continue
    }
    const { committed, changed } = await commitBatch({ plan, last, waiting, due }, context)
    if (committed) {
      contested.clear()
      seenBatches = batches + 1
      waitInterval()
    }
    // The rest of the batch is retried at once, within the same second.
    for (const secretId of changed) contested.add(secretId)
  }
}

/** The record of the last batch, and its index. */
interface Last {
  readonly record: MigrationRecord
  readonly modifyIndex: number
}

interface Attempt {
  readonly plan: readonly PlannedAccessor[]
  readonly last: Last
  /** What the plan was based on. */
  readonly waiting: readonly TokenRecord[]
  /** When it was due, by `performance.now()`. */
  readonly due: number
}

/** `changed`: secrets whose tokens were edited since the plan. An edit wins, and nothing of the batch is committed. */
interface Outcome {
  readonly committed: boolean
  readonly changed: readonly string[]
}

/** Commits a batch, unless one of its tokens was changed, or another process has committed a batch. */
async function commitBatch(attempt: Attempt, context: MigrationContext): Promise<Outcome> {
  const { plan, last, waiting, due } = attempt
  const { store, log } = context
  const { record, modifyIndex } = last
  const at = context.now()
  const next = recordBatch(record, { at, tokens: plan.length })
  try {
    const index = await store.commit([...plan.map(convert), putSystem('migration', next, modifyIndex)])
    log.info(
      {
        batch: next.batches,
        tokens: plan.length,
        done: next.done,
        index,
        at: new Date(at).toISOString(),
        // From the time at which it was due.
        ms: Math.round(performance.now() - due),
      },
      'accessor batch',
    )
    context.onBatch()
    return { committed: true, changed: [] }
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    await store.refresh('consistent')
    if (readLast(store).record.batches !== record.batches) return { committed: false, changed: [] }
    const indexes = indexBySecret(await tokensWithoutAccessor(context, waiting.length))
    const changed = plan.flatMap(({ token }) =>
      indexes.get(token.SecretID) === token.ModifyIndex ? [] : [token.SecretID],
    )
    if (changed.length === 0) throw error
    log.debug({ tokens: changed.length }, 'tokens were changed while their batch was in flight')
    return { committed: false, changed }
  }
}

/** Waits until a time of a clock that may run at a different speed from the timers. */
async function pauseUntil(at: number, now: () => number, signal: AbortSignal): Promise<void> {
  while (now() < at && !signal.aborted) await pause(at - now(), signal)
}

function convert({ token, accessorId }: PlannedAccessor): Change {
  return {
    table: 'tokens',
    op: 'put',
    record: convertForMigration(token, accessorId),
    expect: token.ModifyIndex,
  }
}

function indexBySecret(tokens: readonly TokenRecord[]): ReadonlyMap<string, number> {
  return new Map(tokens.map((token) => [token.SecretID, token.ModifyIndex]))
}

/** The tokens that a datacenter migrates itself. */
export function migratedHere({
  isSecondary,
}: Pick<MigrationContext, 'isSecondary'>): Pick<TokenFilter, 'withoutAccessor' | 'local'> {
  return { withoutAccessor: true, ...(isSecondary ? { local: true } : {}) }
}

/** The oldest ones. */
async function tokensWithoutAccessor(
  { store, isSecondary }: Pick<MigrationContext, 'store' | 'isSecondary'>,
  limit: number,
): Promise<readonly TokenRecord[]> {
  const found: TokenRecord[] = []
  for await (const page of store.tokens({ ...migratedHere({ isSecondary }), limit })) found.push(...page)
  return found
}

function readLast(store: Store): Last {
  const stored = store.directory().system('migration')
  return { record: stored?.Value ?? NO_BATCHES, modifyIndex: stored?.ModifyIndex ?? 0 }
}
