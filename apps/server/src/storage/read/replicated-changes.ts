import type { TokenRecord } from '@latchkey/acl'
import {
  changesOf,
  type FindReplicated,
  type InParts,
  REPLICATED_CHANGES_MAX,
  REPLICATED_TABLES,
  type ReplicatedTable,
  type StoreChanges,
  type Touched,
  type TouchedPart,
  takePart,
} from '@latchkey/service'
import { withAclErrors } from '../../database/database-error.ts'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { inSnapshot } from '../follow/read-changes.ts'
import { NAMESPACE_ROWS, POLICY_ROWS, ROLE_ROWS } from '../held-tables.ts'
import { FIELD_END, ROW_END, readTokenRows, TOKEN_FIELDS_SQL, tokenOfAnyRow } from '../token-table.ts'
import { readText } from './stored-text.ts'

/** Maximum policies, roles and namespaces: a policy may have half a megabyte. */
const DIRECTORY_CHANGES_MAX = 1_000
/** Maximum characters of the rows. Higher than the limit of an answer, because local tokens are included. */
const ROWS_LENGTH_MAX = 16_777_216

/** Lines of the log to read at a time: a record that changes often has many. */
const LINES_MAX = 10_000

interface TouchedRow {
  readonly entity: ReplicatedTable
  readonly key: string
  readonly was_deleted: boolean
  readonly first: bigint
  /** Over all lines that were read. */
  readonly lines: bigint
  readonly last: bigint
}

interface TouchedKey extends Touched {
  readonly storedKey: string
}

interface Log {
  readonly touched: readonly TouchedKey[]
  /** Index of the last commit that was read completely. */
  readonly known: number
}

/**
 * What changed after an index in the records that datacenters have in common, in one snapshot. @param parts if there
 * is too much, only the first commits. @returns undefined if the log does not reach back, or there is too much.
 */
export async function readReplicatedChanges(
  prisma: PrismaClient,
  after: number,
  { secrets, parts }: { readonly secrets: SecretBox; readonly parts: InParts | undefined },
): Promise<StoreChanges | undefined> {
  return withAclErrors(() => inSnapshot(prisma, (tx) => readIn(tx, after, { secrets, parts })))
}

async function readIn(
  tx: Prisma.TransactionClient,
  after: number,
  { secrets, parts }: { readonly secrets: SecretBox; readonly parts: InParts | undefined },
): Promise<StoreChanges | undefined> {
  const { index, pruned } = await tx.commitIndex.findFirstOrThrow({ select: { index: true, pruned: true } })
  if (after < pruned || after > index) return undefined
  const log = await readLog(tx, after, Number(index))
  const part = await choosePart(tx, log, { index: Number(index), parts })
  return part && changesOf(part, part.index < index, await readRecords(tx, part.touched, secrets))
}

async function readLog(tx: Prisma.TransactionClient, after: number, index: number): Promise<Log> {
  const rows = await tx.$queryRaw<readonly TouchedRow[]>`
    WITH line AS (
      SELECT index, entity, key, op FROM change
      WHERE index > ${after}::bigint AND entity = ANY (${[...REPLICATED_TABLES]}::text[]) AND key IS NOT NULL
      ORDER BY index, ordinal LIMIT ${LINES_MAX}::int
    )
    SELECT entity, key, bool_or(op = 'delete') AS was_deleted, min(index) AS first,
      (SELECT count(*) FROM line) AS lines, (SELECT max(index) FROM line) AS last
    FROM line GROUP BY entity, key ORDER BY first LIMIT ${REPLICATED_CHANGES_MAX + 1}::int`
  const touched = rows.map(({ entity, key, was_deleted, first }) => ({
    table: entity,
    key: readText(key),
    storedKey: key,
    wasDeleted: was_deleted,
    first: Number(first),
  }))
  // The commit at the limit may be incomplete.
  const [row] = rows
  const ofLines = row && row.lines === BigInt(LINES_MAX) ? Number(row.last) - 1 : index
  const ofKeys = rows.length > REPLICATED_CHANGES_MAX ? (touched.at(-1)?.first ?? index) - 1 : index
  return { touched, known: Math.min(ofLines, ofKeys) }
}

async function choosePart(
  tx: Prisma.TransactionClient,
  { touched, known }: Log,
  { index, parts }: { readonly index: number; readonly parts: InParts | undefined },
): Promise<TouchedPart<TouchedKey> | undefined> {
  if (touched.length === 0) return { index, touched }
  if (parts === undefined) {
    const ofDirectory = touched.filter(({ table }) => table !== 'tokens').length
    if (known < index || ofDirectory > DIRECTORY_CHANGES_MAX) return undefined
  }
  const lengths = await lengthsOf(tx, touched)
  const lengthOf = ({ table, storedKey }: TouchedKey) => lengths.get(`${table}/${storedKey}`) ?? 0
  const part = parts ? takePart(touched, { known, ...parts }, lengthOf) : { index, touched }
  const length = part?.touched.reduce((sum, change) => sum + lengthOf(change), 0) ?? 0
  return length > ROWS_LENGTH_MAX ? undefined : part
}

/** Measured in the database, before the process reads the rows: policies alone could take half a gigabyte. */
async function lengthsOf(
  tx: Prisma.TransactionClient,
  touched: readonly TouchedKey[],
): Promise<ReadonlyMap<string, number>> {
  const { namespaces, policies, roles, tokens } = storedKeysOf(touched)
  const [found] = await tx.$queryRaw<readonly { readonly text: string | null }[]>`
    SELECT string_agg(concat_ws(${FIELD_END}, entity, key, length), ${ROW_END}) AS text FROM (
      SELECT 'namespaces' AS entity, name AS key, length(t::text) FROM namespace t WHERE name = ANY (${namespaces}::text[])
      UNION ALL SELECT 'policies', id, length(t::text) FROM policy t WHERE id = ANY (${policies}::text[])
      UNION ALL SELECT 'roles', id, length(t::text) FROM role t WHERE id = ANY (${roles}::text[])
      UNION ALL SELECT 'tokens', accessor_key, length(t::text) FROM token t WHERE accessor_key = ANY (${tokens}::text[])
    ) record`
  const lengths = new Map<string, number>()
  for (const row of found?.text?.split(ROW_END) ?? []) {
    const [table, key, length] = row.split(FIELD_END)
    lengths.set(`${table}/${key}`, Number(length))
  }
  return lengths
}

async function readRecords(
  tx: Prisma.TransactionClient,
  touched: readonly TouchedKey[],
  secrets: SecretBox,
): Promise<FindReplicated> {
  const keys = storedKeysOf(touched)
  const policies = await tx.policy.findMany({ where: { id: { in: keys.policies } } })
  const roles = await tx.role.findMany({ where: { id: { in: keys.roles } } })
  const namespaces = await tx.namespace.findMany({ where: { name: { in: keys.namespaces } } })
  const tokens = await readTokens(tx, keys.tokens, secrets)
  const byId = {
    policies: new Map(policies.map((row) => [readText(row.id), POLICY_ROWS.decode(row)])),
    roles: new Map(roles.map((row) => [readText(row.id), ROLE_ROWS.decode(row)])),
    namespaces: new Map(namespaces.map((row) => [readText(row.name), NAMESPACE_ROWS.decode(row)])),
    tokens: new Map(tokens.map((token) => [token.AccessorID.toLowerCase(), token])),
  }
  return {
    policies: (id) => byId.policies.get(id),
    roles: (id) => byId.roles.get(id),
    namespaces: (name) => byId.namespaces.get(name),
    tokens: (accessor) => byId.tokens.get(accessor),
  }
}

async function readTokens(
  tx: Prisma.TransactionClient,
  accessorKeys: readonly string[],
  secrets: SecretBox,
): Promise<readonly TokenRecord[]> {
  const [found] = await tx.$queryRaw<readonly { readonly text: string | null }[]>`
    SELECT string_agg(concat_ws(${FIELD_END}, ${Prisma.raw(TOKEN_FIELDS_SQL)}), ${ROW_END}) AS text
    FROM token WHERE accessor_key = ANY (${accessorKeys}::text[])`
  return readTokenRows(found?.text ?? '').map((row) => tokenOfAnyRow(row, secrets))
}

function storedKeysOf(touched: readonly TouchedKey[]): Readonly<Record<ReplicatedTable, string[]>> {
  const of = (name: ReplicatedTable) =>
    touched.flatMap(({ table, storedKey }) => (table === name ? storedKey : []))
  return { namespaces: of('namespaces'), policies: of('policies'), roles: of('roles'), tokens: of('tokens') }
}
