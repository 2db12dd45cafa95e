/** Assigns accessors to legacy tokens, as the elected server does: 128 per batch, one batch per second. Spec 8, 9.2.3. */

import {
  convertForMigration,
  NO_BATCHES,
  nextBatchAt,
  planBatch,
  type Random,
  recordBatch,
} from '@latchkey/acl'
import { aclModeOf, type Change, type MemoryStore, putSystem } from '@latchkey/service'
import type { MockClock } from '../mock-clock.ts'

/** Delay between the write of a legacy token and its accessor, in milliseconds: the polling interval of servers. */
const LOOK_DELAY_MS = 250

/** @returns a function to call when legacy tokens may have been written; it schedules their accessors. */
export function createAccessorMigration(store: MemoryStore, clock: MockClock, random: Random): () => void {
  let cancel = () => {}
  const waiting = () => [...store.snapshot().tokens.values()].filter((token) => token.AccessorID === '')
  const recorded = () => {
    const system = store.directory().system('migration')
    return { last: system?.Value ?? NO_BATCHES, index: system?.ModifyIndex ?? 0 }
  }
  const convert = () => {
    const plan = planBatch(waiting(), { random, isTaken: () => false })
    const { last, index } = recorded()
    const Value = recordBatch(last, { at: clock.now(), tokens: plan.length })
    const changes = plan.map(({ token, accessorId }): Change => {
      const converted = convertForMigration(token, accessorId)
      return { table: 'tokens', op: 'put', record: converted, expect: token.ModifyIndex }
    })
    store.commitNow([...changes, putSystem('migration', Value, index)])
    schedule()
  }
  const schedule = () => {
    cancel()
    if (aclModeOf(store.directory()) === 'legacy' || waiting().length === 0) return
    const now = clock.now()
    cancel = clock.afterInBackground(
      nextBatchAt(recorded().last.lastBatchAt, now + LOOK_DELAY_MS) - now,
      convert,
    )
  }
  return schedule
}
