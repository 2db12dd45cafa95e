import { LEADER_SILENT_MS_MAX } from '@latchkey/acl'
import type pg from 'pg'
import type { BaseLogger } from 'pino'
import { DatabaseClient } from '../../database/connect.ts'

interface ChangeFeedOptions {
  readonly url: string
  readonly log: BaseLogger
  /** Called with the index of each announced commit group, and without an index after each connection. */
  readonly onCommit: (index: number | undefined) => void
  readonly onLease: (message: string) => void
  /** Called when the connection is lost: messages may be missed from now on. */
  readonly onLost: () => void
}

const CHANNEL = 'latchkey'
const LEASE_CHANNEL = 'latchkey_lease'
const TELL = `SELECT pg_notify('${LEASE_CHANNEL}', $1)`
const TRY_TO_LEAD = 'SELECT pg_try_advisory_lock($1) AS won'
const LEADER_LOCK = 7_270_736_902

const CONNECT_MS = 2_000
const ANSWER_MS = 2_000
const CHECK_INTERVAL_MS = 1_000
const RETRY_DELAY_MS_MIN = 50
const RETRY_DELAY_MS_MAX = 2_000

/**
 * The connection that notifies this process of commits, and makes it the leader while it holds the leader lock. It is
 * checked every second. Missed notifications cost only latency: the follower catches up by index.
 */
export class ChangeFeed {
  private readonly options: ChangeFeedOptions
  private client: pg.Client | undefined
  private timer: NodeJS.Timeout | undefined
  private retryDelayMs = RETRY_DELAY_MS_MIN
  private isClosed = false
  private leadership: AbortController | undefined
  /** Settles with the last query: a connection runs one at a time. */
  private queried: Promise<unknown> = Promise.resolve()
  readonly counts = { connections: 0, notifications: 0 }

  constructor(options: ChangeFeedOptions) {
    this.options = options
  }

  get isConnected(): boolean {
    return this.client !== undefined
  }

  /** Aborts when this process stops being the leader; undefined while it is not. */
  get leaderSignal(): AbortSignal | undefined {
    return this.leadership?.signal
  }

  /** Sends a message about leases to all members; drops it if the connection is lost. */
  tell(message: string): void {
    const { client } = this
    if (!client) return
    this.query(client, TELL, [message]).catch((error: Error) => this.onLost(client, error))
  }

  /** Gives up leadership and closes the connection. */
  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.drop()
  }

  /** Opens the first connection; reconnects are automatic. Resolves even if the database is unreachable. */
  async start(): Promise<void> {
    const client = new DatabaseClient({
      connectionString: this.options.url,
      application_name: 'latchkey-feed',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    })
    // Either event may be emitted first, and an unhandled error would end the process.
    client.on('error', (error) => this.onLost(client, error))
    client.on('end', () => this.onLost(client, undefined))
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === LEASE_CHANNEL) {
        this.options.onLease(payload)
        return
      }
      this.counts.notifications += 1
      this.options.onCommit(Number(payload))
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}; LISTEN ${LEASE_CHANNEL}`)
      // Makes the database end the session of a paused or dead process. Only PostgreSQL 14 and later have this setting.
      await client.query(
        `SELECT set_config(name, $1, false) FROM pg_settings WHERE name = 'idle_session_timeout'`,
        [String(LEADER_SILENT_MS_MAX)],
      )
    } catch (error) {
      void client.end().catch(() => {})
      this.retryLater(error)
      return
    }
    if (this.isClosed) {
      await client.end()
      return
    }
    this.queried = Promise.resolve()
    this.client = client
    this.counts.connections += 1
    this.retryDelayMs = RETRY_DELAY_MS_MIN
    this.options.onCommit(undefined)
    await this.check(client)
  }

  /** Checks that the connection is alive, and tries to become leader. */
  private async check(client: pg.Client): Promise<void> {
    try {
      if (this.leadership) await this.query(client, 'SELECT 1', [])
      else {
        const { rows } = await this.query(client, TRY_TO_LEAD, [LEADER_LOCK])
        if (rows[0]?.won === true && this.client === client) this.leadership = new AbortController()
      }
    } catch (error) {
      this.onLost(client, error)
      return
    }
    // If the connection was lost just after the answer, a reconnect is already scheduled instead.
    if (this.client === client) this.later(CHECK_INTERVAL_MS, () => this.check(client))
  }

  private query(client: pg.Client, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    const answer = this.queried.then(() => client.query(text, [...values]))
    this.queried = answer.catch(() => {})
    return answer
  }

  private onLost(client: pg.Client, error: unknown): void {
    if (client !== this.client) return
    void this.drop()
    if (!this.isClosed) this.retryLater(error)
  }

  private retryLater(error: unknown): void {
    this.options.log.warn({ err: error, againInMs: this.retryDelayMs }, 'the change feed is not connected')
    this.later(this.retryDelayMs, () => this.start())
    this.retryDelayMs = Math.min(this.retryDelayMs * 2, RETRY_DELAY_MS_MAX)
  }

  private later(ms: number, work: () => Promise<void>): void {
    if (this.isClosed) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void work(), ms)
    this.timer.unref()
  }

  private async drop(): Promise<void> {
    const client = this.client
    this.client = undefined
    this.leadership?.abort()
    this.leadership = undefined
    this.options.onLost()
    await client?.end().catch(() => {})
  }
}
