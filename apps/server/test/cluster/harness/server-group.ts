/** Several server processes on one database, as operators run them. */

import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import pg from 'pg'
import { MANAGEMENT, SERVER_ENV } from '../../shared-env.ts'
import { type Gateway, httpGateway } from './gateway.ts'

export { MANAGEMENT }

/** Processes that share a database need the same keys; these protect nothing. */
export const SHARED_ENV: Readonly<Record<string, string>> = {
  ...SERVER_ENV,
  LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
  LATCHKEY_LOG_LEVEL: 'warn',
}

export interface ServerGroup {
  /** One gateway per process, in order; after a restart it leads to the new process. */
  readonly gateways: readonly Gateway[]
  /** The current process at an index; undefined while there is none. */
  server(place: number): RunningServer | undefined
  /** Stops the process at an index, and waits for its exit. */
  end(place: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Starts a process at an index that has none. */
  start(place: number): Promise<void>
  stop(): Promise<void>
}

/** Starts all processes at the same time. */
export async function startServerGroup(options: {
  readonly databaseUrl: string
  readonly count: number
  readonly env?: Readonly<Record<string, string>>
  /** The file from which the next process at an index is started. Default: this version's. */
  readonly mainOf?: (place: number) => string | undefined
}): Promise<ServerGroup> {
  const servers = new Map<number, RunningServer>()
  const urls: string[] = []
  const places = Array.from({ length: options.count }, (_, place) => place)
  const gateways = places.map((place) => httpGateway(() => urls[place] ?? ''))
  const start = async (place: number) => {
    const env = { DATABASE_URL: options.databaseUrl, ...SHARED_ENV, ...options.env }
    const server = await runServer(env, options.mainOf?.(place))
    urls[place] = server.url
    servers.set(place, server)
  }
  const stop = async () => {
    for (const gateway of gateways) gateway.close()
    await Promise.all([...servers.values()].map((server) => server.stop('SIGKILL')))
    servers.clear()
  }
  try {
    await Promise.all(places.map(start))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    gateways,
    server: (place) => servers.get(place),
    end: async (place, signal) => {
      const server = servers.get(place)
      servers.delete(place)
      await server?.stop(signal)
    },
    start,
    stop,
  }
}

/** Cuts all change feeds. @returns how many there were. */
export async function cutChangeFeeds(databaseUrl: string): Promise<number> {
  const rows = await askDatabase(
    databaseUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'latchkey-feed' AND datname = current_database()`,
  )
  return rows.length
}

/** Connection timeout of a proof, which keeps the machine busy. */
const CONNECT_MS_MAX = 15_000

/** Queries the database on a new connection. */
export async function askDatabase(
  databaseUrl: string,
  statement: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_MS_MAX })
  // If the database is killed, the connection closes and the statement rejects.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
