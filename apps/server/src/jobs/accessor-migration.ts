/** Gives accessors to legacy tokens, at the rate of spec 8 and 9.2.3, by the rules in acl. */
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
  readonly onBatch: () => void
}

/** Pause between two attempts if every remaining token is being changed, in milliseconds. */
const CONTESTED_PAUSE_MS = 50

/**
 * Works until every token that this datacenter migrates has an accessor. Only the leader calls it.
 *
 * A process that finds a new batch record knows only that the commit became visible earlier, not when. It therefore
 * waits a whole interval from then on, and the rate holds across kills, commits of unknown outcome, and false leaders.
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
  /** Secrets of tokens that were changed during their batch, left out until a batch succeeds. */
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
    const { committed, changed } = await commitBatch(plan, { last, waiting, due }, context)
    if (committed) {
      contested.clear()
      seenBatches = batches + 1
      waitInterval()
    }
    // The rest of the batch is retried at once, within the same second.
    for (const secretId of changed) contested.add(secretId)
  }
}

/**
 * Commits a batch, unless one of its tokens was changed, or another process has committed a batch.
 * @returns in `changed`, secrets of tokens edited since the plan: an edit wins, and nothing is committed.
 */
async function commitBatch(
  plan: readonly PlannedAccessor[],
  { last, waiting, due }: { last: ReturnType<typeof readLast>; waiting: readonly TokenRecord[]; due: number },
  context: MigrationContext,
) {
  const { store, log } = context
  const { record, modifyIndex } = last
  const at = context.now()
  const next = recordBatch(record, { at, tokens: plan.length })
  try {
    const index = await store.commit([
      ...plan.map(
        ({ token, accessorId }): Change => ({
          table: 'tokens',
          op: 'put',
          record: convertForMigration(token, accessorId),
          expect: token.ModifyIndex,
        }),
      ),
      putSystem('migration', next, modifyIndex),
    ])
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
    const left = await tokensWithoutAccessor(context, waiting.length)
    const indexes = new Map(left.map((token) => [token.SecretID, token.ModifyIndex]))
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

/** The tokens that a datacenter migrates itself. */
export function migratedHere({
  isSecondary,
}: Pick<MigrationContext, 'isSecondary'>): Pick<TokenFilter, 'withoutAccessor' | 'local'> {
  return { withoutAccessor: true, ...(isSecondary ? { local: true } : {}) }
}

async function tokensWithoutAccessor(
  { store, isSecondary }: Pick<MigrationContext, 'store' | 'isSecondary'>,
  limit: number,
): Promise<readonly TokenRecord[]> {
  const found: TokenRecord[] = []
  for await (const page of store.tokens({ ...migratedHere({ isSecondary }), limit })) found.push(...page)
  return found
}

/** The record of the last batch, and its index. */
function readLast(store: Store) {
  const stored = store.directory().system('migration')
  const record: MigrationRecord = stored?.Value ?? NO_BATCHES
  return { record, modifyIndex: stored?.ModifyIndex ?? 0 }
}
