import { DEFAULT_NAMESPACE, LEGACY_RIGHTS, type TokenFact } from '@latchkey/acl'
import {
  type IdleQuery,
  type KvRange,
  type ListPosition,
  type LoginGroup,
  type LoginQuery,
  READER_KEPT_MS,
  READER_LINES_MAX,
  type TokenFilter,
  type TokenScope,
} from '@latchkey/service'
import type { Database } from '../../database/connect.ts'
import { withAclErrors } from '../../database/database-error.ts'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { type ChangeBatch, type ChangesQuestion, readChanges } from '../follow/read-changes.ts'
import type { KvKeyRow, KvLongRow, KvRow } from '../kv-table.ts'
import { FIELD_END, ROW_END, readTokenRows, TOKEN_FIELDS_SQL, type TokenRow } from '../token-table.ts'
import { readText, storeBytes, storeText } from './stored-text.ts'

export interface Snapshot<T> {
  readonly index: number
  readonly value: T
}

/** The statements of the store. Each reads one snapshot and returns its index. */
export class Queries {
  private readonly database: Pick<Database, 'prisma' | 'pool'>
  private readonly prisma: PrismaClient
  private readonly secrets: SecretBox

  constructor(database: Pick<Database, 'prisma' | 'pool'>, secrets: SecretBox) {
    this.database = database
    this.prisma = database.prisma
    this.secrets = secrets
  }

  /** After the database lost commits, raises its index above the one that this process has seen. */
  async raise(known: number): Promise<void> {
    await this.ask(Prisma.sql`SELECT latchkey_raise(${known}::bigint)::text AS answer`)
  }

  async prune(keptForMs: number): Promise<number> {
    return this.ask(Prisma.sql`SELECT latchkey_prune_log(${keptForMs}::int * interval '1 ms',
      ${READER_KEPT_MS}::int * interval '1 ms', ${READER_LINES_MAX}::int)::text AS answer`)
  }

  async changes(question: ChangesQuestion): Promise<ChangeBatch> {
    return readChanges(this.database, question, this.secrets)
  }

  async tokensByAccessorKey(accessorKeys: readonly string[]): Promise<Snapshot<readonly TokenRow[]>> {
    const keys = accessorKeys.map(storeText)
    return this.askTokens(Prisma.sql`WHERE accessor_key = ANY (${keys}::text[])`)
  }

  /** @param secretHashes in hex. */
  async tokensBySecretHash(secretHashes: readonly string[]): Promise<Snapshot<readonly TokenRow[]>> {
    const hashes = secretHashes.map((hash) => `\\x${hash}`)
    return this.askTokens(Prisma.sql`WHERE secret_hash = ANY (${hashes}::text[]::bytea[])`)
  }

  async tokenPage(
    filter: TokenFilter,
    after: ListPosition | undefined,
    limit: number,
  ): Promise<Snapshot<readonly TokenRow[]>> {
    const conditions = [...conditionsOf(filter), ...placeOf(filter, after), ...boundOf(filter)]
    return this.askTokens(
      Prisma.sql`WHERE ${Prisma.join(conditions, ' AND ')}
      ORDER BY ${filter.newestFirst ? NEWEST_FIRST : OLDEST_FIRST} LIMIT ${limit}::int`,
    )
  }

  async tokenCount(filter: TokenFilter): Promise<Snapshot<number>> {
    return this.askSnapshot(
      Prisma.sql`SELECT count(*) FROM token WHERE ${Prisma.join(conditionsOf(filter), ' AND ')}`,
    )
  }

  async expiredTokens(
    now: number,
    limit: number,
    scope?: TokenScope,
  ): Promise<Snapshot<readonly TokenRow[]>> {
    return this.askTokens(
      Prisma.sql`WHERE expires_at <= ${new Date(now)} ${inScope(scope)} ORDER BY expires_at LIMIT ${limit}::int`,
    )
  }

  async orphanedTokens(limit: number, scope?: TokenScope): Promise<Snapshot<readonly TokenRow[]>> {
    return this.askTokens(Prisma.sql`WHERE auth_method_generation <> '' ${inScope(scope)} AND NOT EXISTS (
      SELECT FROM auth_method WHERE generation = token.auth_method_generation) LIMIT ${limit}::int`)
  }

  async idleTokens(
    { generation, horizon }: IdleQuery,
    limit: number,
    scope?: TokenScope,
  ): Promise<Snapshot<readonly TokenRow[]>> {
    return this.askTokens(Prisma.sql`WHERE ${madeBy(generation)} ${inScope(scope)}
      AND create_time::timestamptz <= ${new Date(horizon)} AND NOT EXISTS (
        SELECT FROM token_use u WHERE u.accessor_key = token.accessor_key AND u.used_at > ${horizon}::float8)
      LIMIT ${limit}::int`)
  }

  async logins({ generation, now, after, limit }: LoginQuery): Promise<Snapshot<readonly LoginGroup[]>> {
    const isLater =
      after === undefined ? Prisma.empty : Prisma.sql`AND coalesce(login_identity, '') > ${storeText(after)}`
    const { index, value } = await this.askSnapshot<readonly LoginRow[]>(Prisma.sql`
      SELECT coalesce(json_agg(g ORDER BY identity), '[]') FROM (
        SELECT coalesce(login_identity, '') AS identity, count(*) AS count, min(create_time) AS oldest, max(used_at) AS used_at
        FROM token LEFT JOIN token_use USING (accessor_key)
        WHERE ${madeBy(generation)} AND (expires_at IS NULL OR expires_at > ${new Date(now)}) ${isLater}
        GROUP BY 1 ORDER BY 1 LIMIT ${limit}::int
      ) g`)
    const groups = value.map(({ identity, count, oldest, used_at }) => ({
      identity: readText(identity),
      count,
      oldestCreateTime: readText(oldest),
      lastUse: used_at ?? undefined,
    }))
    return { index, value: groups }
  }

  async loginCounts(): Promise<Snapshot<Readonly<Record<string, number>>>> {
    return this.askSnapshot(Prisma.sql`SELECT coalesce(json_object_agg(generation, count), '{}') FROM (
      SELECT auth_method_generation AS generation, count(*) AS count FROM token
      WHERE auth_method_generation <> '' GROUP BY 1) g`)
  }

  async reapUses(): Promise<void> {
    await withAclErrors(
      () => this.prisma.$executeRaw`DELETE FROM token_use u
        WHERE NOT EXISTS (SELECT FROM token WHERE accessor_key = u.accessor_key)`,
    )
  }

  async kvEntry(
    namespace: string,
    key: string,
    valueBytesMax: number,
  ): Promise<Snapshot<KvRow | KvLongRow | null>> {
    return this.askSnapshot(Prisma.sql`SELECT row_to_json(k) FROM (
      SELECT namespace, key, flags::text AS flags, lock_index, session, create_index, modify_index,
        CASE WHEN octet_length(value) <= ${valueBytesMax}::int THEN value END AS value
      FROM kv WHERE namespace = ${storeText(namespace)} AND key = ${storeBytes(Buffer.from(key))}::bytea) k`)
  }

  /**
   * At most `limit` entries, and no more than `bytesMax` of values, but at least one. PostgreSQL knows the length of a
   * value without reading it. @returns `found`: how many entries there are within the limit.
   */
  async kvEntryPage(
    range: KvRange,
    limit: number,
    bytesMax: number,
  ): Promise<Snapshot<{ readonly rows: readonly KvRow[]; readonly found: number }>> {
    return this.askSnapshot(Prisma.sql`SELECT json_build_object('found', count(*), 'rows', coalesce(
        json_agg(k ORDER BY key) FILTER (WHERE bytes_up_to <= ${bytesMax}::bigint OR place = 1), '[]'))
      FROM (
        SELECT *, row_number() OVER by_key AS place, sum(octet_length(value)) OVER by_key AS bytes_up_to
        FROM (SELECT namespace, key, flags::text AS flags, lock_index, session, value, create_index, modify_index
          FROM kv WHERE ${keysIn(range)} ORDER BY key LIMIT ${limit}::int) found
        WINDOW by_key AS (ORDER BY key)
      ) k`)
  }

  async kvKeyPage(range: KvRange, limit: number): Promise<Snapshot<readonly KvKeyRow[]>> {
    return this.askSnapshot(Prisma.sql`SELECT coalesce(json_agg(k ORDER BY key), '[]') FROM (
        SELECT key, modify_index FROM kv WHERE ${keysIn(range)} ORDER BY key LIMIT ${limit}::int
      ) k`)
  }

  private async askTokens(which: Prisma.Sql): Promise<Snapshot<readonly TokenRow[]>> {
    const answer = await this.askText(Prisma.sql`SELECT concat_ws(${ROW_END}, index, (
        SELECT string_agg(concat_ws(${FIELD_END}, ${TOKEN_FIELDS}), ${ROW_END}) FROM (
          SELECT * FROM token ${which}
        ) t)) AS answer FROM commit_index`)
    const indexEnd = answer.indexOf(ROW_END)
    if (indexEnd === -1) return { index: Number(answer), value: [] }
    const value = readTokenRows(answer.slice(indexEnd + ROW_END.length))
    return { index: Number(answer.slice(0, indexEnd)), value }
  }

  private async askSnapshot<T>(select: Prisma.Sql): Promise<Snapshot<T>> {
    return this.ask(
      Prisma.sql`SELECT json_build_object('index', index, 'value', (${select}))::text AS answer FROM commit_index`,
    )
  }

  /** This project's own SQL defines the shape of the JSON. */
  private async ask<T>(statement: Prisma.Sql): Promise<T> {
    // A function without a result returns an empty text.
    return JSON.parse((await this.askText(statement)) || 'null')
  }

  private async askText(statement: Prisma.Sql): Promise<string> {
    const rows = await withAclErrors(() => this.prisma.$queryRaw<{ answer: string }[]>(statement))
    return rows[0]?.answer ?? ''
  }
}

interface LoginRow {
  readonly identity: string
  readonly count: number
  readonly oldest: string
  readonly used_at: number | null
}

function inScope({ local }: TokenScope = {}): Prisma.Sql {
  return local === undefined ? Prisma.empty : Prisma.sql`AND local = ${local}`
}

/** Repeats the condition of the partial index. */
function madeBy(generation: number): Prisma.Sql {
  return Prisma.sql`auth_method_generation = ${`${generation}`} AND auth_method_generation <> ''`
}

/** The last byte of UTF-8 text is never the highest, so the end is the prefix with that byte incremented. */
function keysIn({ namespace, prefix, after, session }: KvRange): Prisma.Sql {
  const start = Buffer.from(prefix)
  const conditions = [
    Prisma.sql`namespace = ${storeText(namespace)}`,
    Prisma.sql`key >= ${storeBytes(start)}::bytea`,
  ]
  const last = start.at(-1)
  if (last !== undefined) {
    const end = Buffer.from(start)
    end.writeUInt8(last + 1, end.length - 1)
    conditions.push(Prisma.sql`key < ${storeBytes(end)}::bytea`)
  }
  if (after !== undefined) conditions.push(Prisma.sql`key > ${storeBytes(Buffer.from(after))}::bytea`)
  // The second repeats the condition of the partial index.
  if (session !== undefined) conditions.push(Prisma.sql`session = ${session} AND session <> ''`)
  return Prisma.join(conditions, ' AND ')
}

const TOKEN_FIELDS = Prisma.raw(TOKEN_FIELDS_SQL)

const OLDEST_FIRST = Prisma.sql`create_index, accessor_id, secret_hash`
const NEWEST_FIRST = Prisma.sql`create_index DESC, accessor_id DESC, secret_hash DESC`

/**
 * Repeats the conditions of a partial index literally, so that the index serves the filter. For a plain equality, the
 * planner expects one token in 200 until PostgreSQL has statistics, and sorts the rest of the list for every page.
 */
function conditionsOf(filter: TokenFilter): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [Prisma.sql`true`]
  const { namespace, policyId, roleId, authMethod, serviceName } = filter
  if (namespace === DEFAULT_NAMESPACE) conditions.push(Prisma.sql`coalesce(namespace = 'default', false)`)
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
  if (authMethod === '') conditions.push(Prisma.sql`coalesce(auth_method = '', false)`)
  else if (authMethod !== undefined) {
    conditions.push(Prisma.sql`auth_method = ${storeText(authMethod)} AND auth_method <> ''`)
  }
  if (filter.authMethodNamespace !== undefined) {
    conditions.push(Prisma.sql`auth_method_namespace = ${storeText(filter.authMethodNamespace)}`)
  }
  if (filter.local !== undefined) conditions.push(filter.local ? Prisma.sql`local` : Prisma.sql`NOT local`)
  if (filter.legacy) conditions.push(Prisma.sql`(type <> '' OR rules <> '')`)
  if (filter.management) conditions.push(Prisma.sql`(type <> '' OR rules <> '') AND type = 'management'`)
  if (filter.legacyRights) conditions.push(LEGACY_RIGHTS_SQL)
  if (filter.withoutAccessor) conditions.push(Prisma.sql`accessor_key IS NULL`)
  return conditions
}

const TOKEN_FACTS: Readonly<Record<TokenFact, string>> = {
  isLinked: `(policies <> '{}' OR roles <> '{}' OR service_names <> '{}' OR json_array_length(node_identities) > 0)`,
  isManagement: `type = 'management'`,
  hasAccessor: 'accessor_key IS NOT NULL',
  hasRules: `rules <> ''`,
}

/** The first condition repeats the condition of an index. */
const LEGACY_RIGHTS_SQL = Prisma.raw(
  `(type <> '' OR rules <> '') AND (${LEGACY_RIGHTS.map((facts) =>
    Object.entries(facts)
      .map(([fact, expected]) => `(${TOKEN_FACTS[fact as TokenFact]}) = ${expected}`)
      .join(' AND '),
  ).join(' OR ')})`,
)

function boundOf({ newestFirst, until }: TokenFilter): Prisma.Sql[] {
  if (!until) return []
  return [comparePlace(newestFirst ? Prisma.sql`>=` : Prisma.sql`<=`, until)]
}

/**
 * As a whole: with a separate condition on `create_index`, the planner would multiply the selectivities, and sort all
 * of the list for every page.
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
