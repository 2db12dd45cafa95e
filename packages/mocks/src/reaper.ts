/** Removes expired tokens, as the server's reaper does. They already act as absent; removal wakes blocking queries. */

import { parseInstant } from '@latchkey/contract'
import type { MemoryStore } from '@latchkey/service'
import type { MockClock } from './mock-clock.ts'

/** Delay between the expiration of a token and its removal, in milliseconds. */
const REAP_DELAY_MS = 1_000

/** @returns a function to call after every write; it schedules the removal of the next token to expire. */
export function createReaper(store: MemoryStore, clock: MockClock): () => void {
  let cancel = () => {}
  const reap = () => {
    const changes = store
      .expiredNow(clock.now(), Number.POSITIVE_INFINITY)
      .map((record) => ({ table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }) as const)
    if (changes.length > 0) store.commitNow(changes)
    schedule()
  }
  const schedule = () => {
    cancel()
    const [next] = store.expiredNow(Number.POSITIVE_INFINITY, 1)
    const expiresAt = parseInstant(next?.ExpirationTime ?? '')
    if (expiresAt === undefined) return
    const inMs = Math.max(0, expiresAt - clock.now())
    cancel = clock.afterInBackground(inMs + REAP_DELAY_MS, reap)
  }
  return schedule
}
