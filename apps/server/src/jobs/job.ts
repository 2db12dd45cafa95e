import { sleep } from '@latchkey/contract'
import type { Logger } from 'pino'

export interface Job {
  stop(): Promise<void>
}

/**
 * Runs work in rounds until it is stopped. A failed round is logged and followed by the next.
 * @param round returns the milliseconds until the next.
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

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, signal).catch(() => {})
}
