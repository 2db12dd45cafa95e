import type { AclError } from '@latchkey/contract'
import type { BaseLogger } from 'pino'
import { sqlStateOf } from '../database/database-error.ts'

const PAUSE_MS = 1_000

/** Logs why the database did not serve requests: at most once a second, as one outage fails thousands. */
export function createOutageLog(
  log: Pick<BaseLogger, 'warn'>,
  now: () => number = () => performance.now(),
): (error: AclError, requestId: string) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  let requests = 0
  return ({ message, cause }, id) => {
    requests += 1
    if (now() - loggedAt < PAUSE_MS) return
    loggedAt = now()
    // Only the message: errors of the driver contain the whole client.
    const reason = cause instanceof Error ? cause.message : message
    log.warn({ reason, state: sqlStateOf(cause), requests, id }, 'the database did not serve requests')
    requests = 0
  }
}
