/** Gives accessors to legacy tokens, by the law of spec 8 and 9.2.3. The rules are acl's; this is their clockwork. */
import {
  ACCESSOR_BATCH_INTERVAL_MS_MIN,
  ACCESSOR_BATCH_SIZE_MAX,
  type Change,
  convertForMigration,
  type MigrationRecord,
  NO_BATCHES,
  nextBatchAt,
  planBatch,
  type Random,
  recordBatch,
  type Store,
  StoreConflict,
  type TokenRecord,
} from '@latchkey/acl'
import type { Logger } from 'pino'
import { pause } from './job.ts'

export interface MigrationContext {
  readonly store: Store
  readonly now: () => number
  readonly random: Random
  readonly log: Logger
}

/**
 * Works until no token lacks an accessor, or the signal. Called by the elected process alone.
 *
 * A process that takes over does not know when its predecessor's last commit became visible, only that it is not in
 * the future. So it waits a whole interval first, unless there never was a batch: the law holds across kills.
 */
export async function migrateAccessors(context: MigrationContext, signal: AbortSignal): Promise<void> {
  const { store, now, log } = context
  await store.refresh('consistent')
  let notBefore =
    (await readRecord(store)).record.batches === 0 ? now() : now() + ACCESSOR_BATCH_INTERVAL_MS_MIN
  while (!signal.aborted) {
    const waiting = await tokensWithoutAccessor(store)
    if (waiting.length === 0) return
    const { record, modifyIndex } = await readRecord(store)
    const startAt = Math.max(notBefore, nextBatchAt(record.lastBatchAt, now()))
    await pause(startAt - now(), signal)
    if (signal.aborted) return
    const at = now()
    const plan = planBatch(waiting, { random: context.random, isTaken: () => false })
    const next = recordBatch(record, { at, tokens: plan.length })
    try {
      const index = await store.commit([...plan.map(convert), remember(next, modifyIndex)])
      // The law counts what others can see, so the interval starts when the commit is known, not when it was planned.
      notBefore = now() + ACCESSOR_BATCH_INTERVAL_MS_MIN
      log.info(
        { batch: next.batches, tokens: plan.length, done: next.done, index, at: new Date(at).toISOString() },
        'accessor batch',
      )
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      // An edit made meanwhile wins, and its token is taken again. Another process may have committed a batch.
      await store.refresh('consistent')
      if ((await readRecord(store)).record.batches !== record.batches)
        notBefore = now() + ACCESSOR_BATCH_INTERVAL_MS_MIN
    }
  }
}

function convert({ token, accessorId }: ReturnType<typeof planBatch>[number]): Change {
  return {
    table: 'tokens',
    op: 'put',
    record: convertForMigration(token, accessorId),
    expect: token.ModifyIndex,
  }
}

function remember(record: MigrationRecord, modifyIndex: number): Change {
  return {
    table: 'system',
    op: 'put',
    record: { Key: 'migration', Value: record, CreateIndex: 0, ModifyIndex: 0 },
    expect: modifyIndex,
  }
}

async function tokensWithoutAccessor(store: Store): Promise<readonly TokenRecord[]> {
  const found: TokenRecord[] = []
  for await (const page of store.tokens({ withoutAccessor: true, limit: ACCESSOR_BATCH_SIZE_MAX }))
    found.push(...page)
  return found
}

async function readRecord(
  store: Store,
): Promise<{ readonly record: MigrationRecord; readonly modifyIndex: number }> {
  const stored = (await store.directory()).system('migration')
  return {
    record: (stored?.Value as MigrationRecord | undefined) ?? NO_BATCHES,
    modifyIndex: stored?.ModifyIndex ?? 0,
  }
}
