import { setTimeout as sleep } from 'node:timers/promises'
import { AclError, isOutage } from '@latchkey/contract'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { describeDatabase } from '../config/config.ts'
import { StartError } from '../start-error.ts'
import { outageOf } from './database-error.ts'

const PATIENCE_MS = 30_000
const RETRY_MS = 250

/**
 * Repeats a start while the database does not answer in time: a machine that starts many programs at once may stall.
 * @param start leaves nothing behind if it throws. @throws any other error of the start at once.
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

function isAway(error: unknown): boolean {
  if (error instanceof AclError) return isOutage(error)
  return !(error instanceof StartError) && outageOf(error) !== undefined
}

export interface FirstConnectionOptions {
  readonly url: string
  readonly log: BaseLogger
  readonly patienceMs?: number
}

const CONNECT_MS = 2_000

/**
 * Connects for the first time, and waits for a database that is not reachable yet: both are often started together.
 * @throws StartError that names the database (without its password) and the problem.
 */
export async function connectPatiently(options: FirstConnectionOptions): Promise<pg.Client> {
  const { url, log } = options
  const deadline = performance.now() + (options.patienceMs ?? PATIENCE_MS)
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'latchkey-start',
      connectionTimeoutMillis: CONNECT_MS,
    })
    // The next statement reports a connection that ended while idle; without a listener, the event would end the
    // process.
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (cause) {
      await client.end().catch(() => {})
      const outage = outageOf(cause)
      // Waiting does not change a wrong user, password or name.
      const isHopeless = outage === undefined || outage.code === 'database_refused'
      const problem = cause instanceof Error ? cause.message || cause.name : String(cause)
      if (isHopeless || performance.now() > deadline) {
        throw new StartError(`The database ${describeDatabase(url)} cannot be used: ${problem}`, { cause })
      }
      if (attempt === 1) log.warn({ database: describeDatabase(url), problem }, 'waiting for the database')
      await sleep(RETRY_MS)
    }
  }
}
