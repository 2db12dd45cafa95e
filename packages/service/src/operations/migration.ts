import { migrationProgress, NO_BATCHES } from '@latchkey/acl'
import { formatInstant } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { aclModeOf, isSecondary } from '../options.ts'
import type { Store } from '../store/store.ts'

/** Progress of the accessor migration. Spec 8, 9.2.3. */
export async function migrationHandler(
  call: Call<'operations.migration'>,
): Promise<Answer<'operations.migration'>> {
  const { service } = call
  const { directory, record, remaining } = await migrationFacts(service.store)
  const lastError = service.cluster.migrationError?.()
  const mode = aclModeOf(directory)
  const progress = migrationProgress({
    record,
    remaining,
    aclMode: mode === 'legacy' ? { mode } : { mode, since: 0 },
    isPrimary: !isSecondary(service),
    now: call.now,
  })
  return json({
    State: progress.state,
    Done: progress.done,
    Total: progress.total,
    Batches: progress.batches,
    TokensPerSecond: progress.rate,
    EstimatedSeconds: progress.estimateSeconds,
    ...(record.run ? { StartedAt: formatInstant(record.run.startedAt) } : {}),
    ...(record.lastBatchAt === undefined ? {} : { LastBatchAt: formatInstant(record.lastBatchAt) }),
    ...(lastError === undefined ? {} : { LastError: lastError }),
    ...(mode === 'legacy' ? { WaitsFor: [...service.cluster.legacyModeWaitsFor()] } : {}),
  })
}

/** Migrated and remaining tokens at one moment, so that no batch is counted twice or missed. */
async function migrationFacts(store: Store) {
  for (;;) {
    const before = store.directory().system('migration')
    const remaining = await store.countTokens({ withoutAccessor: true })
    const directory = store.directory()
    const after = directory.system('migration')
    if (after?.ModifyIndex !== before?.ModifyIndex) continue
    return { directory, remaining, record: after?.Value ?? NO_BATCHES }
  }
}
