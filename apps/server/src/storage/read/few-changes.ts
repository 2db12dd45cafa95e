import { changesOf, type InParts, REPLICATED_TABLES, type StoreChanges } from '@latchkey/service'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { FIELD_END, ROW_END, readTokenRows, TOKEN_FIELDS_SQL, tokenOfAnyRow } from '../token-table.ts'
import { readText } from './stored-text.ts'

/** Maximum lines of the log. */
const FEW_MAX = 1_000
/** Maximum characters of the rows. */
const LENGTH_MAX = 2_097_152

interface Row {
  readonly index: bigint
  readonly pruned: bigint
  readonly lines: number
  readonly are_tokens: boolean
  readonly touched: string
  /** Null if they are too long. */
  readonly tokens: string | null
}

/**
 * Reads the changes after an index if they are few and concern only tokens, which is nearly always the case. It is one
 * statement, and so one snapshot; a transaction of several would cost three times as much, up to fifty times a second
 * for each reader.
 *
 * @returns `other` if they must be read differently; undefined if the log does not reach back to the index.
 */
export async function readFewChanges(
  prisma: PrismaClient,
  after: number,
  { secrets, parts }: { readonly secrets: SecretBox; readonly parts: InParts | undefined },
): Promise<StoreChanges | 'other' | undefined> {
  const [row] = await prisma.$queryRaw<readonly Row[]>`
    WITH line AS MATERIALIZED (
      SELECT index, entity, key, op FROM change
      WHERE index > ${after}::bigint AND entity = ANY (${[...REPLICATED_TABLES]}::text[]) AND key IS NOT NULL
      ORDER BY index, ordinal LIMIT ${FEW_MAX + 1}::int
    ), touched AS MATERIALIZED (
      SELECT key, bool_or(op = 'delete') AS was_deleted, min(index) AS first
      FROM line WHERE entity = 'tokens' GROUP BY key
    ), found AS MATERIALIZED (
      -- A join would read the whole table: the planner does not see that these are few.
      SELECT * FROM token WHERE accessor_key = ANY (ARRAY(SELECT key FROM touched))
    )
    SELECT index, pruned, (SELECT count(*)::int FROM line) AS lines,
      coalesce((SELECT bool_and(entity = 'tokens') FROM line), true) AS are_tokens,
      coalesce((SELECT string_agg(concat_ws(${FIELD_END}, key, was_deleted, first), ${ROW_END} ORDER BY first)
        FROM touched), '') AS touched,
      CASE WHEN coalesce((SELECT sum(length(f::text)) FROM found f), 0) < ${LENGTH_MAX}::int THEN coalesce(
        (SELECT string_agg(concat_ws(${FIELD_END}, ${Prisma.raw(TOKEN_FIELDS_SQL)}), ${ROW_END}) FROM found), '')
      END AS tokens
    FROM commit_index`
  if (!row || after < row.pruned || after > row.index) return undefined
  const { lines, are_tokens, touched, tokens } = row
  if (lines > FEW_MAX || !are_tokens || tokens === null) return 'other'
  const changed = readTouched(touched)
  if (parts && changed.length > parts.recordsMax) return 'other'
  const found = new Map(
    readTokenRows(tokens).map((stored) => {
      const token = tokenOfAnyRow(stored, secrets)
      return [token.AccessorID.toLowerCase(), token]
    }),
  )
  const none = () => undefined
  return changesOf({ index: Number(row.index), touched: changed }, false, {
    ...{ namespaces: none, policies: none, roles: none },
    tokens: (accessor) => found.get(accessor),
  })
}

function readTouched(text: string) {
  if (text === '') return []
  return text.split(ROW_END).map((line) => {
    const [key = '', wasDeleted, first] = line.split(FIELD_END)
    return {
      table: 'tokens',
      key: readText(key),
      wasDeleted: wasDeleted === 't',
      first: Number(first),
    } as const
  })
}
