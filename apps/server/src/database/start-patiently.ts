import { setTimeout as sleep } from 'node:timers/promises'
import { AclError, isOutage } from '@latchkey/contract'
import type { BaseLogger } from 'pino'
import { StartError } from '../start-error.ts'
import { outageOf } from './database-error.ts'

const PATIENCE_MS = 30_000
const RETRY_MS = 250

/**
 * Runs a start that needs the database, and repeats it while the database does not answer in time: a machine that
 * starts many programs at once may stall for longer than the time limit of a statement.
 *
 * @param start leaves nothing behind if it throws.
 * @throws any other error of the start at once.
 */
export async function startPatiently<T>(
  start: () => Promise<T>,
  { log, patienceMs = PATIENCE_MS }: { readonly log: BaseLogger; readonly patienceMs?: number },
): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!isAway(error) || performance.now() > deadline) throw error
      log.warn({ err: error }, 'the database did not answer in time; starting again')
      await sleep(RETRY_MS)
    }
  }
}

/** A StartError may have any cause, such as a listening host that cannot be resolved. */
function isAway(error: unknown): boolean {
  if (error instanceof AclError) return isOutage(error)
  return !(error instanceof StartError) && outageOf(error) !== undefined
}
