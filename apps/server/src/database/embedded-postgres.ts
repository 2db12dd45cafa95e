import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { openDataDirectory } from '../data-directory.ts'
import { hasCode } from '../has-code.ts'
import { StartError } from '../start-error.ts'
import { lockDirectory } from './directory-lock.ts'
import { choosePostgresAccount } from './postgres-account.ts'
import { databaseBytes, EMBEDDED_NAME, findPostgresBinaries, openCluster } from './postgres-cluster.ts'
import {
  memorySettings,
  type PostgresAddress,
  postgresArguments,
  postgresUrl,
  takesSocket,
} from './postgres-settings.ts'
import { clearLeftovers, type Postmaster, startPostmaster } from './postmaster.ts'

interface EmbeddedPostgresOptions {
  /** The data directory; created if missing. One server at a time. */
  readonly dataDir: string
  readonly log: BaseLogger
  readonly settings?: Readonly<Record<string, string>>
}

export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>

const RESTART_DELAY_MS_MIN = 100
const RESTART_DELAY_MS_MAX = 5_000
const PORT_ATTEMPTS_MAX = 5

/**
 * Starts the bundled PostgreSQL in the data directory and supervises it. Every start cleans up after a kill at any
 * moment. If the database dies, it is restarted with backoff, without a limit, because the cause may be a full disk.
 *
 * @throws StartError if the directory is in use, or the database cannot be created or started now.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions) {
  const { log } = options
  ignoreVariablesOfLibpq()
  const dataDir = openDataDirectory(options.dataDir)
  const lock = lockDirectory(dataDir)
  try {
    const binaries = await findPostgresBinaries()
    const clusterDir = join(dataDir, 'postgres')
    const account = choosePostgresAccount(binaries, clusterDir)
    const password = await openCluster(clusterDir, { dataDir, binaries, account })

    const startAt = async (address: PostgresAddress) => {
      await clearLeftovers(clusterDir, log)
      return startPostmaster({
        program: binaries.postgres,
        args: postgresArguments(clusterDir, address, {
          ...memorySettings(databaseBytes(clusterDir)),
          ...options.settings,
        }),
        account,
        clusterDir,
        logFile: join(dataDir, 'postgres.log'),
        log,
      })
    }
    const { address, first } = await startSomewhere(clusterDir, startAt)
    const url = postgresUrl(address, EMBEDDED_NAME, password)
    await createDatabase(url).catch(async (error: unknown) => {
      await first.stop()
      throw error
    })
    const supervised = supervise(first, () => startAt(address), log)
    return {
      /** Connects as the owner; constant over restarts. Contains a password: never log it. */
      url,
      get pid(): number | undefined {
        return supervised.pid
      },
      /** Stops the database ("fast": open transactions are rolled back) and releases the data directory. */
      async stop(): Promise<void> {
        await supervised.stop()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Removes variables such as `PGSSLMODE`, which are meant for other databases, but which the driver reads. */
function ignoreVariablesOfLibpq(): void {
  for (const name of Object.keys(process.env)) {
    if (/^PG[A-Z]/.test(name)) delete process.env[name]
  }
}

/** Supervises a postmaster: starts a new one whenever it ends unasked. */
function supervise(first: Postmaster, start: () => Promise<Postmaster>, log: BaseLogger) {
  const stopping = new AbortController()
  let current: Postmaster | undefined = first

  const watch = async () => {
    while (current !== undefined) {
      const exit = await current.exited
      current = undefined
      if (stopping.signal.aborted) return
      log.error({ exit: exit.how, logTail: exit.logTail }, 'PostgreSQL died; starting it again')
      current = await restart()
      if (stopping.signal.aborted) await current?.stop()
    }
  }
  const restart = async () => {
    for (let delayMs = RESTART_DELAY_MS_MIN; ; delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS_MAX)) {
      if (stopping.signal.aborted) return undefined
      try {
        const postmaster = await start()
        log.info({ pid: postmaster.pid }, 'PostgreSQL is back')
        return postmaster
      } catch (error) {
        log.error({ err: error, retryInMs: delayMs }, 'PostgreSQL could not be started again')
        await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }
  const watching = watch()
  return {
    get pid() {
      return current?.pid
    },
    async stop() {
      stopping.abort()
      await current?.stop()
      // A restart in progress finishes, and the restarted postmaster is stopped.
      await watching
    },
  }
}

/**
 * On a socket inside the cluster's directory, where no other process competes for it. If the path is too long, or the
 * platform has no sockets, on a free loopback port; another process may take it first.
 */
async function startSomewhere(
  clusterDir: string,
  startAt: (address: PostgresAddress) => Promise<Postmaster>,
) {
  if (takesSocket(clusterDir)) {
    const address: PostgresAddress = { kind: 'socket', directory: clusterDir }
    return { address, first: await startAt(address) }
  }
  for (let attempt = 1; ; attempt += 1) {
    const address: PostgresAddress = { kind: 'tcp', port: await findFreePort() }
    try {
      return { address, first: await startAt(address) }
    } catch (error) {
      const isPortTaken = error instanceof StartError && error.message.includes('Address already in use')
      if (!isPortTaken || attempt === PORT_ATTEMPTS_MAX) throw error
    }
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await promisify(server.close.bind(server))()
  return port
}

async function createDatabase(url: string): Promise<void> {
  const existing = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await existing.connect()
    await existing.end()
    return
  } catch (error) {
    if (hasCode(error, '28P01')) {
      throw new StartError(
        'The embedded database refuses the password in postgres.password: it differs from the one the database was created with.\n' +
          'Restore the original file next to the directory "postgres".',
        { cause: error },
      )
    }
    if (!hasCode(error, '3D000')) throw error
  }
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  const client = new pg.Client({ connectionString: maintenance.href })
  await client.connect()
  try {
    // Statements and row values stay out of the log; messages of the server process itself keep their details.
    await client.query(`ALTER ROLE ${pg.escapeIdentifier(EMBEDDED_NAME)} SET log_min_error_statement = panic`)
    await client.query(`ALTER ROLE ${pg.escapeIdentifier(EMBEDDED_NAME)} SET log_error_verbosity = terse`)
    await client.query(`CREATE DATABASE ${pg.escapeIdentifier(EMBEDDED_NAME)}`)
  } finally {
    await client.end()
  }
}
