import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { BaseLogger } from 'pino'
import { PrismaClient } from '../generated/prisma/client.ts'
import type { Tracing } from '../tracing/open-tracing.ts'
import { withAclErrors } from './database-error.ts'

export interface ConnectOptions {
  readonly url: string
  readonly log: BaseLogger
  readonly connectionsMax?: number
  /** The name shown in `pg_stat_activity`. */
  readonly applicationName?: string
  readonly limits?: Partial<DatabaseLimits>
  readonly tracing?: Pick<Tracing, 'traceStatements'> | undefined
}

interface DatabaseLimits {
  /** To open a connection, or to get a free one. The driver has no limit by default. */
  readonly connectMs: number
  /** For a statement, or a transaction of several statements. The database rolls it back, so the outcome is known. */
  readonly statementMs: number
  /** For any answer: the connection silently drops data. It is then closed, and the outcome is unknown. */
  readonly answerMs: number
  /** Until the next statement of an open transaction. Releases locks of a paused process. */
  readonly idleInTransactionMs: number
  /** The same, for a transaction that all other writers wait for. */
  readonly idleWhileLockingMs: number
}

/** Without a database, a request fails within about two seconds: DUR-05. */
const DATABASE_LIMITS: DatabaseLimits = {
  connectMs: 2_000,
  statementMs: 1_800,
  answerMs: 2_000,
  idleInTransactionMs: 5_000,
  idleWhileLockingMs: 1_000,
}

const DATABASE_CONNECTIONS_MAX = 10
const IDLE_CONNECTION_MS = 30_000
const KEEP_ALIVE_DELAY_MS = 5_000

/**
 * Our functions look expensive to the planner, so compiling them would take seconds at each commit. They also rely on
 * each statement seeing everything committed before it, whatever default the role or the database sets.
 */
const SESSION_OPTIONS = '-c jit=off -c default_transaction_isolation=read\\ committed'

export type Database = ReturnType<typeof connectDatabase>

/**
 * Opens a pool. Run single statements with `pool.query`: it closes a connection that failed. Let a statement return
 * its refusal instead of raising. Parameters in the URL (such as `sslmode`) override the options.
 */
export function connectDatabase(options: ConnectOptions) {
  const limits: DatabaseLimits = { ...DATABASE_LIMITS, ...options.limits }
  const pool = new pg.Pool({
    Client: DatabaseClient,
    connectionString: options.url,
    max: options.connectionsMax ?? DATABASE_CONNECTIONS_MAX,
    application_name: options.applicationName ?? 'latchkey',
    options: SESSION_OPTIONS,
    connectionTimeoutMillis: limits.connectMs,
    statement_timeout: limits.statementMs,
    query_timeout: limits.answerMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  })
  let isClosing = false
  // Without a listener, the end of an idle connection would end the process.
  pool.on('error', (error) => {
    // The pool does not wait until its connections have ended, so the database may stop first.
    if (isClosing) return
    // Only the message: the error contains the whole client.
    options.log.warn({ reason: error.message }, 'an idle database connection ended')
  })
  pool.on('release', (_, client) => {
    // A connection left inside a transaction is stuck or was forgotten; the next user must not inherit it.
    if (client.getTransactionStatus() !== 'I') void client.end().catch(() => {})
  })
  options.tracing?.traceStatements(pool)
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    // The other formats print the arguments of the failed call, which may contain secrets.
    errorFormat: 'minimal',
    transactionOptions: { maxWait: limits.connectMs, timeout: limits.statementMs },
  })
  return {
    pool,
    prisma,
    limits,
    /** Throws an `AclError` `unavailable` if there is no answer in time. */
    async ping(): Promise<void> {
      await withAclErrors(() => pool.query('SELECT 1'))
    },
    async close(): Promise<void> {
      isClosing = true
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/**
 * The driver reads the files named in its URL whenever it connects, and its constructor throws if they cannot be read,
 * even from timers, where nothing can catch the error. Here connecting fails, as if the database were unreachable.
 */
export class DatabaseClient extends pg.Client {
  private readonly problem: Error | undefined

  constructor(config: pg.ClientConfig = {}) {
    const problem = problemOf(config)
    super(problem === undefined ? config : {})
    this.problem = problem
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const { problem } = this
    if (callback === undefined) return problem === undefined ? super.connect() : Promise.reject(problem)
    if (problem === undefined) super.connect(callback)
    else process.nextTick(callback, problem)
    return undefined
  }
}

function problemOf(config: pg.ClientConfig): Error | undefined {
  try {
    new pg.Client(config)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
