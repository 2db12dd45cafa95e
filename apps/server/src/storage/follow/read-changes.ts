import type { RecordOf, TableName } from '@latchkey/service'
import type { Database } from '../../database/connect.ts'
import { withAclErrors } from '../../database/database-error.ts'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { HELD_TABLES, type HeldTable, hasKeys, readHeld } from '../held-tables.ts'
import { FIELD_END, ROW_END, readTokenRows, TOKEN_FIELDS_SQL, type TokenRow } from '../token-table.ts'

/** One row of the change log. `entity` is a table of the port, or `members`. */
export interface ChangeRow {
  readonly index: number
  readonly entity: TableName | 'members'
  readonly op: 'put' | 'delete' | 'delete-tree'
  readonly key: string | null
  readonly binary_key: string | null
}

type Tables = Readonly<Record<TableName, number>>

interface LogBasis {
  readonly index: number
  readonly now: number
  readonly isMember: boolean
  readonly tokens: readonly TokenRow[]
}

/**
 * The answer of `latchkey_change_log`: see the migration. `now` is the database's clock, in milliseconds. Of the same
 * snapshot are `isMember`, whether the requesting process was a member, and `tokens`, some of the changed tokens as of
 * `index`, so that a process that caches one of them need not read it again.
 */
export type ChangeLog = LogBasis &
  (
    | { readonly tables?: never; readonly reset?: never }
    | { readonly tables: Tables; readonly reset: true }
    | { readonly tables: Tables; readonly reset?: never; readonly changes: readonly ChangeRow[] }
  )

export type ChangeBatch = ChangeLog & { readonly records: HeldRecords }

export type HeldRecords = { readonly [T in HeldTable]: readonly RecordOf[T][] }

/** Most changed tokens that come with the log. After larger commits, such as copies, tokens are read on demand. */
const TOKENS_MAX = 64
/** With more changed records than this, whole tables are read instead of single keys. */
const KEYS_MAX = 1_000

export const NO_RECORDS = Object.fromEntries(
  HELD_TABLES.map((table) => [table, []]),
) as unknown as HeldRecords

export interface ChangesQuestion {
  readonly after: number
  /** Read all of these records if anything changed. */
  readonly isWhole: boolean
  readonly memberId: string
}

/** Reads the changes after an index, with the changed records in memory. @throws AclError `unavailable` */
export async function readChanges(
  { prisma, pool }: Pick<Database, 'prisma' | 'pool'>,
  question: ChangesQuestion,
  secrets: SecretBox,
): Promise<ChangeBatch> {
  return withAclErrors(async () => {
    const run: RunLog = async (values) => {
      const statement = { name: 'change-log', text: CHANGE_LOG, values: [...values] }
      return (await pool.query<LogRow>(statement)).rows
    }
    const log = await readLog(run, question)
    if (!needsRecords(log, question.isWhole)) return { ...log, records: NO_RECORDS }
    // In one snapshot with the log: later commits may have touched the records.
    return inSnapshot(prisma, (tx) => readBatch(tx, question, secrets))
  })
}

async function readBatch(
  tx: Prisma.TransactionClient,
  question: ChangesQuestion,
  secrets: SecretBox,
): Promise<ChangeBatch> {
  const log = await readLog((values) => tx.$queryRawUnsafe(CHANGE_LOG, ...values), question)
  if (!log.tables) return { ...log, records: NO_RECORDS }
  const keysOf = question.isWhole || log.reset ? () => undefined : keysOfLog(log.changes)
  return { ...log, records: await readRecords(tx, keysOf, secrets) }
}

function keysOfLog(changes: readonly ChangeRow[]): KeysOf {
  return (table) => {
    const keys = new Set(
      changes.flatMap(({ entity, key }) => (entity === table && key !== null ? [key] : [])),
    )
    return keys.size > KEYS_MAX ? undefined : [...keys]
  }
}

/** Prepared once per connection: every reader without a lease waits for this statement. */
const CHANGE_LOG = `SELECT latchkey_change_log($1::bigint)::text AS answer,
  EXISTS (SELECT FROM member WHERE id = $2 AND NOT is_fenced AND left_at IS NULL) AS "isMember",
  CASE WHEN (SELECT index FROM commit_index) > $1::bigint THEN (
    SELECT string_agg(concat_ws('${FIELD_END}', ${TOKEN_FIELDS_SQL}), '${ROW_END}') FROM (
      SELECT DISTINCT binary_key FROM change
      WHERE index > $1::bigint AND index <= $1::bigint + ${TOKENS_MAX} AND entity = 'tokens' LIMIT ${TOKENS_MAX}
    ) changed JOIN token ON secret_hash = binary_key) END AS tokens`

interface LogRow {
  readonly answer: string
  readonly isMember: boolean
  readonly tokens: string | null
}

type RunLog = (values: readonly unknown[]) => Promise<readonly LogRow[]>

async function readLog(run: RunLog, { after, memberId }: ChangesQuestion): Promise<ChangeLog> {
  const [row] = await run([after, memberId])
  // This project's own SQL defines the shape of the JSON.
  return {
    ...JSON.parse(row?.answer ?? 'null'),
    isMember: row?.isMember,
    tokens: readTokenRows(row?.tokens ?? ''),
  }
}

function needsRecords(log: ChangeLog, isWhole: boolean): boolean {
  if (!log.tables) return false
  return (
    isWhole ||
    log.reset === true ||
    log.changes.some(({ entity }) => HELD_TABLES.some((table) => table === entity))
  )
}

type KeysOf = (table: TableName) => readonly string[] | undefined

async function readRecords(
  tx: Prisma.TransactionClient,
  keysOf: KeysOf,
  secrets: SecretBox,
): Promise<HeldRecords> {
  const records: Partial<Record<TableName, readonly object[]>> = { ...NO_RECORDS }
  for (const table of HELD_TABLES) {
    const keys = keysOf(table)
    if (keys?.length === 0) continue
    records[table] = await readHeld(tx, table, keys ? hasKeys(table, keys) : {}, secrets)
  }
  // The compiler cannot see, through a variable, that each table has its own records.
  return records as HeldRecords
}

/** For all reads together; each also has the time limits of the connection (`connect.ts`). */
const SNAPSHOT_MS_MAX = 10_000

export function inSnapshot<T>(
  prisma: PrismaClient,
  read: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  const isolationLevel = Prisma.TransactionIsolationLevel.RepeatableRead
  return prisma.$transaction(read, { timeout: SNAPSHOT_MS_MAX, isolationLevel })
}
