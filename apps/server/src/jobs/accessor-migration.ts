/** Gives accessors to legacy tokens, by the law of spec 8 and 9.2.3. The rules are acl's; this is their clockwork. */
import {
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

/** Most tokens of one batch. Spec 8; the plan takes no more whatever it is given. */
const BATCH_SIZE_MAX = 128
const BATCH_INTERVAL_MS = 1_000

/**
 * Works until no token lacks an accessor, or the signal. Called by the elected process alone.
 *
 * A process that takes over does not know when its predecessor's last commit became visible, only that it is not in
 * the future. So it waits a whole interval first, unless there never was a batch: the law holds across kills.
 */
export async function migrateAccessors(context: MigrationContext, signal: AbortSignal): Promise<void> {
  const { store, now, log } = context
  await store.refresh('consistent')
  let notBefore = (await readRecord(store)).record.batches === 0 ? now() : now() + BATCH_INTERVAL_MS
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
      notBefore = now() + BATCH_INTERVAL_MS
      log.info({ batch: next.batches, tokens: plan.length, done: next.done, index, at: new Date(at).toISOString() }, 'accessor batch')
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      // An edit made meanwhile wins, and its token is taken again. Another process may have committed a batch.
      await store.refresh('consistent')
      if ((await readRecord(store)).record.batches !== record.batches) notBefore = now() + BATCH_INTERVAL_MS
    }
  }
}

function convert({ token, accessorId }: ReturnType<typeof planBatch>[number]): Change {
  return { table: 'tokens', op: 'put', record: convertForMigration(token, accessorId), expect: token.ModifyIndex }
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
  for await (const page of store.tokens({ withoutAccessor: true, limit: BATCH_SIZE_MAX })) found.push(...page)
  return found
}

async function readRecord(store: Store): Promise<{ readonly record: MigrationRecord; readonly modifyIndex: number }> {
  const stored = (await store.directory()).system('migration')
  return { record: (stored?.Value as MigrationRecord | undefined) ?? NO_BATCHES, modifyIndex: stored?.ModifyIndex ?? 0 }
}
