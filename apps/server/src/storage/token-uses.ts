import { idleHorizon, isSurelyUsed, isUseWritten } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { BoundedMap, type TokenUse, type TokenUses } from '@latchkey/service'
import type pg from 'pg'
import { withAclErrors } from '../database/database-error.ts'

/** Maximum number of tokens whose last use is in memory, at about a hundred bytes each. The database has the others. */
const KNOWN_MAX = 100_000
/** Interval between writes of uses for which no request waits, in milliseconds. */
const WRITE_INTERVAL_MS = 1_000
const WRITTEN_AT_ONCE_MAX = 2_000

/** An unwritten use, merged with others of its token. */
interface Pending {
  readonly key: string
  readonly until: number
  readonly since: number
  /** The horizon of the first use. A token that was alive then stays alive, however late the use is written. */
  readonly horizon: number
  readonly waiting: readonly Waiting[]
}

interface Waiting {
  readonly resolve: (isAlive: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Returns tokens used after their horizon. Locks rows in one order, so that two processes never deadlock. */
const WRITE = `WITH input AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS i (key, until, since, horizon)
  )
  INSERT INTO token_use AS u (accessor_key, used_at)
  SELECT key, until FROM input
  WHERE since > horizon OR EXISTS (SELECT FROM token_use WHERE accessor_key = key) ORDER BY key
  ON CONFLICT (accessor_key) DO UPDATE SET used_at = greatest(u.used_at, excluded.used_at)
  WHERE (SELECT greatest(u.used_at, since) > horizon FROM input WHERE key = u.accessor_key)
  RETURNING accessor_key, used_at::float8`

interface WrittenRow {
  readonly accessor_key: string
  readonly used_at: number
}

export class PostgresTokenUses implements TokenUses {
  private readonly pool: pg.Pool
  /** Last uses in milliseconds since the epoch, written or pending, by accessor. */
  private readonly known = new BoundedMap<string, number>(KNOWN_MAX)
  private pending = new Map<string, Pending>()
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> | undefined

  constructor(pool: pg.Pool) {
    this.pool = pool
  }

  noteKnown(use: TokenUse): boolean {
    const key = use.accessorId.toLowerCase()
    const last = Math.max(this.known.get(key) ?? 0, use.limit.since)
    if (!isSurelyUsed(last, use.limit, use.now)) return false
    if (isUseWritten(last, use.limit, use.until)) {
      this.known.set(key, use.until, 1)
      this.add(key, use, [])
      this.timer ??= setTimeout(() => this.write(), WRITE_INTERVAL_MS).unref()
    }
    return true
  }

  use(use: TokenUse): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.add(use.accessorId.toLowerCase(), use, [{ resolve, reject }])
      // Deferred, so that other requests of this event-loop turn join.
      setImmediate(() => this.write())
    })
  }

  async close(): Promise<void> {
    await this.writing
    this.write()
    await this.writing
    clearTimeout(this.timer)
  }

  private add(key: string, { limit, now, until }: TokenUse, waiting: readonly Waiting[]): void {
    this.merge({ key, until, since: limit.since, horizon: Math.floor(idleHorizon(limit, now)), waiting })
  }

  private merge(use: Pending): void {
    const other = this.pending.get(use.key) ?? use
    this.pending.set(use.key, {
      key: use.key,
      until: Math.max(use.until, other.until),
      since: Math.max(use.since, other.since),
      horizon: Math.min(use.horizon, other.horizon),
      waiting: other === use ? use.waiting : [...other.waiting, ...use.waiting],
    })
  }

  private write(): void {
    if (this.writing !== undefined || this.pending.size === 0) return
    clearTimeout(this.timer)
    this.timer = undefined
    const batch = [...this.pending.values()].slice(0, WRITTEN_AT_ONCE_MAX)
    for (const { key } of batch) this.pending.delete(key)
    this.writing = this.send(batch).then(() => {
      this.writing = undefined
      const isAwaited = [...this.pending.values()].some(({ waiting }) => waiting.length > 0)
      if (isAwaited || this.pending.size >= WRITTEN_AT_ONCE_MAX) this.write()
      else if (this.pending.size > 0) this.timer ??= setTimeout(() => this.write(), WRITE_INTERVAL_MS).unref()
    })
  }

  private async send(batch: readonly Pending[]): Promise<void> {
    const values = [
      batch.map(({ key }) => key),
      batch.map(({ until }) => Math.floor(until)),
      batch.map(({ since }) => Math.floor(since)),
      batch.map(({ horizon }) => horizon),
    ]
    try {
      const statement = { name: 'token-uses', text: WRITE, values }
      const { rows } = await withAclErrors(() => this.pool.query<WrittenRow>(statement))
      const written = new Map(rows.map(({ accessor_key, used_at }) => [accessor_key, used_at]))
      for (const { key, waiting } of batch) {
        const usedAt = written.get(key)
        if (usedAt === undefined) this.known.delete(key)
        else this.known.set(key, Math.max(usedAt, this.known.get(key) ?? 0), 1)
        for (const { resolve } of waiting) resolve(usedAt !== undefined)
      }
    } catch (error) {
      for (const use of batch) {
        for (const { reject } of use.waiting) reject(error)
        // Requests that waited are refused. Other uses stay valid, and are written once the database is back.
        if (use.waiting.length === 0 && error instanceof AclError) this.merge(use)
      }
    }
  }
}
