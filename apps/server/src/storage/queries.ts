import { DEFAULT_NAMESPACE, type ListPosition, type TokenFilter } from '@latchkey/acl'
import type pg from 'pg'
import type { Database } from '../database/connect.ts'
import { withAclErrors } from '../database/database-error.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import type { ChangeBatch } from './changes.ts'
import { FIELD_END, type KvRow, ROW_END, readTokenRows, type TokenRow } from './decode-rows.ts'
import type { EncodedChange } from './encode-change.ts'
import { storeBytes, storeText } from './stored-text.ts'
import { columnParameters, tokenColumns } from './token-columns.ts'

/** What was read, and the commit index of the snapshot it was read from. */
export interface Snapshot<T> {
  readonly index: number
  readonly value: T
}

/** A group of writes. */
export interface CommitGroup {
  /** Changes of tokens, each a write of its own, that share no id. */
  readonly tokens: readonly EncodedChange[]
  /** The other writes, with their changes. They come after those. */
  readonly writes: readonly (readonly EncodedChange[])[]
}

/**
 * The answer of `latchkey_commit`: the index before the group; per write its index or its conflict, in text; whether
 * the database had lost commits. Or that this process is fenced, and nothing was done.
 */
export type CommitAnswer =
  | { readonly is_fenced: true }
  | {
      readonly is_fenced?: never
      readonly before: number
      readonly tokens: readonly string[]
      readonly writes: readonly string[]
      readonly is_behind: boolean
    }

/** The answer of `latchkey_heartbeat`. `others`: members that may commit. `now`: the database's clock, in milliseconds. */
export type HeartbeatAnswer =
  | { readonly is_member: false }
  | { readonly is_member: true; readonly index: number; readonly now: number; readonly others: number }

/**
 * The statements of the store. Each answers one text, nearly always JSON; each reads one snapshot, whose index comes with
 * it.
 * What they throw when the database is away is an AclError `unavailable`.
 */
export class Queries {
  private readonly prisma: PrismaClient
  private readonly pool: pg.Pool

  constructor({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
    this.prisma = prisma
    this.pool = pool
  }

  /**
   * @param author the member that commits.
   * @param known the highest index that it has seen.
   */
  async commit({ tokens, writes }: CommitGroup, author: string, known: number): Promise<CommitAnswer> {
    const tokensJson = JSON.stringify(tokens.map(({ change }) => change))
    const writesJson = JSON.stringify(writes.map((changes) => changes.map(({ change }) => change)))
    return this.ask(
      Prisma.sql`SELECT latchkey_commit(
        ${tokensJson}::jsonb, ${writesJson}::jsonb, ${author}, ${known}::bigint)::text AS answer`,
    )
  }

  /**
   * Commits changes of tokens, each a write of its own, that share no id: the cheap way, for a group without conflicts.
   *
   * @returns the index before the group, whose writes have the indexes that follow; `undefined` where nothing was done,
   *   as some write cannot be made, or this process may not commit. {@link commit} tells.
   */
  async commitAtOnce(
    tokens: readonly EncodedChange[],
    author: string,
    known: number,
  ): Promise<number | undefined> {
    const values = [author, known, ...tokenColumns(tokens)]
    const { rows } = await withAclErrors(() =>
      this.pool.query<{ before: string | null }>({ name: 'commit-at-once', text: COMMIT_AT_ONCE, values }),
    )
    const before = rows[0]?.before
    return typeof before === 'string' ? Number(before) : undefined
  }

  /** Lifts the index of a database that has lost commits above what was seen. */
  async raise(known: number): Promise<void> {
    await this.ask(Prisma.sql`SELECT latchkey_raise(${known}::bigint)::text AS answer`)
  }

  /** @returns the index of the join. */
  async join(member: Readonly<Record<string, unknown>>): Promise<number> {
    const json = JSON.stringify(member)
    const { index } = await this.ask<{ index: number }>(
      Prisma.sql`SELECT latchkey_join(${json}::jsonb)::text AS answer`,
    )
    return index
  }

  async heartbeat(beat: Readonly<Record<string, unknown>>, failedAfterMs: number): Promise<HeartbeatAnswer> {
    const json = JSON.stringify(beat)
    return this.ask(
      Prisma.sql`SELECT latchkey_heartbeat(${json}::jsonb, ${failedAfterMs}::int * interval '1 ms')::text AS answer`,
    )
  }

  /** @param isDead fence a member that is known to be gone, instead of saying that it has left. */
  async leave(member: string, isDead: boolean): Promise<void> {
    await this.ask(Prisma.sql`SELECT latchkey_leave(${member}, ${isDead})::text AS answer`)
  }

  /** @returns up to which index the log is gone now; 0 where nothing was removed. */
  async prune(keptForMs: number): Promise<number> {
    return this.ask(Prisma.sql`SELECT latchkey_prune(${keptForMs}::int * interval '1 ms')::text AS answer`)
  }

  /** @param isWhole answer the whole directory, not only the rows that changed. */
  async changes(after: number, isWhole: boolean): Promise<ChangeBatch> {
    return this.ask(Prisma.sql`SELECT latchkey_changes(${after}::bigint, ${isWhole})::text AS answer`)
  }

  async tokensByAccessorKey(accessorKeys: readonly string[]): Promise<Snapshot<readonly TokenRow[]>> {
    const keys = accessorKeys.map(storeText)
    return this.askSnapshot(Prisma.sql`SELECT coalesce(json_agg(t), '[]') FROM (
        SELECT ${TOKEN_COLUMNS} FROM token WHERE accessor_key = ANY (${keys}::text[])
      ) t`)
  }

  /** @param secretHashes in hex. */
  async tokensBySecretHash(secretHashes: readonly string[]): Promise<Snapshot<readonly TokenRow[]>> {
    const hashes = secretHashes.map((hash) => `\\x${hash}`)
    return this.askSnapshot(Prisma.sql`SELECT coalesce(json_agg(t), '[]') FROM (
        SELECT ${TOKEN_COLUMNS} FROM token WHERE secret_hash = ANY (${hashes}::text[]::bytea[])
      ) t`)
  }

  async tokenPage(
    filter: TokenFilter,
    after: ListPosition | undefined,
    limit: number,
  ): Promise<Snapshot<readonly TokenRow[]>> {
    const conditions = [...conditionsOf(filter), ...placeOf(filter, after), ...boundOf(filter)]
    const answer = await this.askText(Prisma.sql`SELECT concat_ws(${ROW_END}, index, (
        SELECT string_agg(concat_ws(${FIELD_END}, ${TOKEN_FIELDS}), ${ROW_END}) FROM (
          SELECT ${TOKEN_COLUMNS} FROM token WHERE ${Prisma.join(conditions, ' AND ')}
          ORDER BY ${filter.newestFirst ? NEWEST_FIRST : OLDEST_FIRST} LIMIT ${limit}::int
        ) t)) AS answer FROM commit_index`)
    const indexEnd = answer.indexOf(ROW_END)
    if (indexEnd === -1) return { index: Number(answer), value: [] }
    const value = readTokenRows(answer.slice(indexEnd + ROW_END.length))
    return { index: Number(answer.slice(0, indexEnd)), value }
  }

  async tokenCount(filter: TokenFilter): Promise<Snapshot<number>> {
    return this.askSnapshot(
      Prisma.sql`SELECT count(*) FROM token WHERE ${Prisma.join(conditionsOf(filter), ' AND ')}`,
    )
  }

  async expiredTokens(now: number, limit: number): Promise<Snapshot<readonly TokenRow[]>> {
    return this.askSnapshot(Prisma.sql`SELECT coalesce(json_agg(t), '[]') FROM (
        SELECT ${TOKEN_COLUMNS} FROM token WHERE expires_at <= ${new Date(now)} ORDER BY expires_at LIMIT ${limit}::int
      ) t`)
  }

  async kvEntry(namespace: string, key: string): Promise<Snapshot<KvRow | null>> {
    return this.askSnapshot(Prisma.sql`SELECT row_to_json(k) FROM kv k
      WHERE namespace = ${storeText(namespace)} AND key = ${storeBytes(Buffer.from(key))}::bytea`)
  }

  async kvEntries(namespace: string, prefix: string): Promise<Snapshot<readonly KvRow[]>> {
    const start = storeBytes(Buffer.from(prefix))
    return this.askSnapshot(Prisma.sql`SELECT coalesce(json_agg(k ORDER BY key), '[]') FROM kv k
      WHERE namespace = ${storeText(namespace)} AND key >= ${start}::bytea
        AND substring(key FOR length(${start}::bytea)) = ${start}::bytea`)
  }

  private async askSnapshot<T>(select: Prisma.Sql): Promise<Snapshot<T>> {
    return this.ask(
      Prisma.sql`SELECT json_build_object('index', index, 'value', (${select}))::text AS answer FROM commit_index`,
    )
  }

  /** The shape of the JSON is this project's own SQL. */
  private async ask<T>(statement: Prisma.Sql): Promise<T> {
    // A function without a result answers an empty text.
    return JSON.parse((await this.askText(statement)) || 'null')
  }

  /** Every statement here has one row with one text. */
  private async askText(statement: Prisma.Sql): Promise<string> {
    const rows = await withAclErrors(() => this.prisma.$queryRaw<{ answer: string }[]>(statement))
    return rows[0]?.answer ?? ''
  }
}

const COMMIT_AT_ONCE = `SELECT latchkey_commit_at_once($1, $2, ${columnParameters(2)}) AS before`

/** What a record is made of; the other columns are for indexes. See `TokenRow`. */
const TOKEN_COLUMNS = Prisma.sql`secret_hash, secret_cipher, secret_key_id, accessor_id, namespace, description, policies,
  roles, service_identities, node_identities, rules, type, local, auth_method, expiration_time, create_time, hash,
  create_index, modify_index`

/** The same columns in the same order as texts, none of them null: see `readTokenRows`. */
const TOKEN_FIELDS = Prisma.sql`secret_hash, secret_cipher, secret_key_id, accessor_id, namespace, description,
  array_to_json(policies), array_to_json(roles), service_identities, node_identities, rules, type, local, auth_method,
  coalesce(expiration_time, ''), create_time, hash, create_index, modify_index`

const OLDEST_FIRST = Prisma.sql`create_index, accessor_id, secret_hash`
const NEWEST_FIRST = Prisma.sql`create_index DESC, accessor_id DESC, secret_hash DESC`

/** The conditions that make an index serve a filter are repeated as that index says them. */
function conditionsOf(filter: TokenFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [Prisma.sql`true`]
  const { namespace, policyId, roleId, authMethod, serviceName } = filter
  if (namespace === DEFAULT_NAMESPACE) conditions.push(Prisma.sql`namespace = 'default'`)
  else if (namespace !== undefined) {
    conditions.push(Prisma.sql`namespace = ${storeText(namespace)} AND namespace <> 'default'`)
  }
  if (policyId !== undefined) {
    conditions.push(Prisma.sql`policies @> ARRAY[${storeText(policyId)}] AND policies <> '{}'`)
  }
  if (roleId !== undefined) {
    conditions.push(Prisma.sql`roles @> ARRAY[${storeText(roleId)}] AND roles <> '{}'`)
  }
  if (serviceName !== undefined) {
    conditions.push(Prisma.sql`service_names @> ARRAY[${storeText(serviceName)}] AND service_names <> '{}'`)
  }
  if (authMethod === '') conditions.push(Prisma.sql`auth_method = ''`)
  else if (authMethod !== undefined) {
    conditions.push(Prisma.sql`auth_method = ${storeText(authMethod)} AND auth_method <> ''`)
  }
  if (filter.local !== undefined) conditions.push(filter.local ? Prisma.sql`local` : Prisma.sql`NOT local`)
  if (filter.legacy) conditions.push(Prisma.sql`(type <> '' OR rules <> '')`)
  if (filter.management) conditions.push(Prisma.sql`(type <> '' OR rules <> '') AND type = 'management'`)
  if (filter.legacyRights) conditions.push(LEGACY_RIGHTS)
  if (filter.withoutAccessor) conditions.push(Prisma.sql`accessor_key IS NULL`)
  return conditions
}

/** As `hasLegacyRights` of the rules; the first condition is that of an index. */
const LEGACY_RIGHTS = Prisma.sql`(type <> '' OR rules <> '')
  AND policies = '{}' AND roles = '{}' AND service_names = '{}' AND json_array_length(node_identities) = 0
  AND CASE WHEN type = 'management' THEN accessor_key IS NOT NULL ELSE rules <> '' END`

function boundOf({ newestFirst, until }: TokenFilter): Prisma.Sql[] {
  if (!until) return []
  return [comparePlace(newestFirst ? Prisma.sql`>=` : Prisma.sql`<=`, until)]
}

/**
 * One comparison of the whole place, without one of `create_index` alone beside it: the planner would multiply the two,
 * take what is left of the list for short, and sort all of it for every page.
 */
function placeOf({ newestFirst }: TokenFilter, after: ListPosition | undefined): Prisma.Sql[] {
  return after ? [comparePlace(newestFirst ? Prisma.sql`<` : Prisma.sql`>`, after)] : []
}

function comparePlace(operator: Prisma.Sql, { createIndex, accessorId, tie }: ListPosition): Prisma.Sql {
  return tie === undefined
    ? Prisma.sql`(create_index, accessor_id) ${operator} (${createIndex}::bigint, ${storeText(accessorId)})`
    : Prisma.sql`(create_index, accessor_id, secret_hash)
        ${operator} (${createIndex}::bigint, ${storeText(accessorId)}, decode(${tie}, 'hex'))`
}
