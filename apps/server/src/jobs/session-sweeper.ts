import { endExpiredSessions, type Store } from '@latchkey/service'

const SWEEP_INTERVAL_MS = 1_000
/** A process that begins to lead lets the renewals that its predecessor refused arrive first. */
export const SWEEP_GRACE_MS = 5_000

/** Runs work in the process that leads; the signal is the same until another leads. */
type WorkOfLeader = (signal: AbortSignal) => Promise<boolean>

/**
 * Ends sessions whose TTL is over.
 *
 * @param win runs the work in the process that leads.
 * @param now a clock that never steps, in milliseconds.
 * @returns a round, which answers when the next one is due, in milliseconds.
 */
export function sessionSweeper(
  store: Store,
  win: (work: WorkOfLeader) => Promise<boolean | undefined>,
  now: () => number = () => performance.now(),
): () => Promise<number> {
  let term: AbortSignal | undefined
  let begunAt = 0
  return async () => {
    const hasMore = await win(async (signal) => {
      if (signal !== term) begunAt = now()
      term = signal
      return now() - begunAt >= SWEEP_GRACE_MS && endExpiredSessions(store)
    })
    return hasMore ? 0 : SWEEP_INTERVAL_MS
  }
}
