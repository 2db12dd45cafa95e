import { sleep } from '@latchkey/contract'
import type { Logger } from 'pino'

/** A job that runs repeatedly until it is stopped. */
export interface Job {
  /** Ends it; resolves once a run in flight is over. */
  stop(): Promise<void>
}

/**
 * Runs work in rounds, one at a time. A failed round is logged and followed by the next: the database may be
 * unreachable for a while.
 *
 * @param round runs one round and returns the milliseconds until the next.
 */
export function startJob(name: string, log: Logger, round: (signal: AbortSignal) => Promise<number>): Job {
  const stopping = new AbortController()
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const pauseMs = await round(stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted)
          log.warn({ err: error, job: name }, 'a round of a job failed; the next one follows')
        return FAILED_PAUSE_MS
      })
      await pause(pauseMs, stopping.signal)
    }
  }
  const done = loop()
  return {
    stop: async () => {
      stopping.abort()
      await done
    },
  }
}

const FAILED_PAUSE_MS = 1_000

/** Waits, at most until the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, signal).catch(() => {})
}
