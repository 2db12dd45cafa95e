/** Keeps unfinished browser logins in the database, because a callback may reach another process than the first request. */
import type { LoginState } from '@latchkey/acl'
import type { LoginStates } from '@latchkey/service'
import type pg from 'pg'
import type { Database } from '../database/connect.ts'
import { withAclErrors } from '../database/database-error.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { ifOpens } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { Batches } from './batches.ts'

interface NewState {
  readonly state: LoginState
  readonly openMax: number
  readonly now: number
}

/** Inserts as many states as each method has room for, and returns their hashes. */
const PUT = `WITH input AS (
    SELECT *, row_number() OVER (PARTITION BY generation) AS nth
    FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::bytea[], $5::text[], $6::int[])
      AS i (state_hash, generation, expires_at, cipher, key_id, open_max)
  ), method AS (
    SELECT generation, (
      SELECT count(*) FROM login_state s WHERE s.generation = i.generation AND s.expires_at > $7
    ) AS open
    FROM (SELECT DISTINCT generation FROM input) i
  )
  INSERT INTO login_state (state_hash, generation, expires_at, cipher, key_id)
  SELECT state_hash, generation, expires_at, cipher, key_id
  FROM input JOIN method USING (generation) WHERE open + nth <= open_max
  ON CONFLICT (state_hash) DO NOTHING
  RETURNING state_hash`

/** Skips rows that another statement has locked: it is taking or removing them. */
const TAKE = `DELETE FROM login_state WHERE state_hash IN (
    SELECT state_hash FROM login_state WHERE state_hash = ANY($1) FOR UPDATE SKIP LOCKED
  ) RETURNING state_hash, cipher, key_id`

interface TakenRow {
  readonly state_hash: string
  readonly cipher: Buffer
  readonly key_id: string
}

/** Any client may begin logins and invent states, so many share one statement, which Prisma cannot express. */
export class PostgresLoginStates implements LoginStates {
  private readonly pool: pg.Pool
  private readonly prisma: PrismaClient
  private readonly secrets: SecretBox
  private readonly puts = new Batches((states: readonly NewState[]) => this.putAll(states))
  private readonly takes = new Batches((stateHashes: readonly string[]) => this.takeAll(stateHashes))

  constructor({ pool, prisma }: Pick<Database, 'pool' | 'prisma'>, secrets: SecretBox) {
    this.pool = pool
    this.prisma = prisma
    this.secrets = secrets
  }

  put(
    state: LoginState,
    { openMax, now }: { readonly openMax: number; readonly now: number },
  ): Promise<boolean> {
    return this.puts.add({ state, openMax, now })
  }

  async take(stateHash: string): Promise<LoginState | undefined> {
    const row = await this.takes.add(stateHash)
    if (row === undefined) return undefined
    const sealed = { keyId: row.key_id, bytes: row.cipher }
    // Undefined if its key was retired. States live for minutes, so they are not re-sealed.
    return ifOpens(() => JSON.parse(this.secrets.open(sealed, recordId(stateHash))))
  }

  async reap(now: number): Promise<number> {
    const where = { expiresAt: { lte: new Date(now) } }
    return (await withAclErrors(() => this.prisma.loginState.deleteMany({ where }))).count
  }

  private async putAll(items: readonly NewState[]): Promise<readonly boolean[]> {
    const sealed = items.map(({ state }) =>
      this.secrets.seal(JSON.stringify(state), recordId(state.stateHash)),
    )
    const values = [
      items.map(({ state }) => state.stateHash),
      items.map(({ state }) => state.generation),
      items.map(({ state }) => new Date(state.expiresAt)),
      sealed.map(({ bytes }) => Buffer.from(bytes)),
      sealed.map(({ keyId }) => keyId),
      items.map(({ openMax }) => openMax),
      new Date(Math.min(...items.map(({ now }) => now))),
    ]
    const statement = { name: 'put-login-states', text: PUT, values }
    const { rows } = await withAclErrors(() => this.pool.query<{ state_hash: string }>(statement))
    const kept = new Set(rows.map(({ state_hash }) => state_hash))
    return items.map(({ state }) => kept.has(state.stateHash))
  }

  private async takeAll(stateHashes: readonly string[]): Promise<readonly (TakenRow | undefined)[]> {
    const statement = { name: 'take-login-states', text: TAKE, values: [[...new Set(stateHashes)]] }
    const { rows } = await withAclErrors(() => this.pool.query<TakenRow>(statement))
    const taken = new Map(rows.map((row) => [row.state_hash, row]))
    return stateHashes.map((stateHash) => {
      const row = taken.get(stateHash)
      // Only the first of several requests for one state gets it.
      taken.delete(stateHash)
      return row
    })
  }
}

function recordId(stateHash: string): string {
  return `login-state/${stateHash}`
}
