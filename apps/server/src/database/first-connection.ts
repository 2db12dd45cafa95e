import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { describeDatabase } from '../config/config.ts'
import { StartError } from '../start-error.ts'
import { outageOf } from './database-error.ts'

export interface FirstConnectionOptions {
  readonly url: string
  readonly log: BaseLogger
  /** How long to wait for a database that is not reachable yet. Default 30 s. */
  readonly patienceMs?: number
}

const PATIENCE_MS = 30_000
const RETRY_MS = 250
const CONNECT_MS = 2_000

/**
 * Connects for the first time. Servers and databases are often started together, so this waits for a database that is
 * not reachable yet.
 *
 * @returns a connected client; the caller ends it.
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
