/** Compares a list of tokens in the database with an earlier read, without reading it again. */
import { Prisma } from '../../../generated/prisma/client.ts'
import { TOKEN_COLUMNS } from '../../token-table.ts'

/** A range of create indexes, and how many tokens it had. */
export interface ChunkRange {
  /** The first create index. */
  readonly from: number
  /** The first create index after it. */
  readonly to: number
  readonly tokens: number
}

/** The current state of a range. */
export interface ListChunk {
  readonly tokens: number
  /** The digests of its tokens, combined by exclusive or. */
  readonly digest: bigint
}

/** A secret's ciphertext changes with its key, so its lookup hash is digested instead. */
const SEALED = new Set<string>(['secret_cipher', 'secret_key_id'])

/** PostgreSQL cannot hash JSON. */
const DIGESTED = Prisma.raw(
  TOKEN_COLUMNS.filter(({ name, isRead }) => isRead && !SEALED.has(name))
    .map(({ name, sql }) => (sql === 'json' ? `${name}::text` : name))
    .join(', '),
)

/**
 * The digest of a row: 64 bits over everything that answers depend on. The hash of a record is linear in its columns,
 * so it is hashed again; otherwise, changes of two rows could cancel each other out.
 *
 * @param seed a signed 64-bit number as text. It is secret: without it, no one can choose two tokens with the same
 * digest.
 */
export function digestOfRow(seed: string): Prisma.Sql {
  return Prisma.sql`hashint8extended(hash_record_extended(ROW(${DIGESTED}), ${seed}::bigint), ${seed}::bigint)`
}

/** Maximum tokens that one statement digests. Each takes 2 µs, so a statement takes a twentieth of its time limit. */
const STATEMENT_TOKENS_MAX = 50_000

/** Ranges in ascending order, as many at a time as one statement may compare. */
export function batchesOf(ranges: readonly ChunkRange[]): readonly (readonly ChunkRange[])[] {
  const batches: ChunkRange[][] = []
  let tokens = Number.POSITIVE_INFINITY
  for (const range of ranges) {
    if (tokens + range.tokens > STATEMENT_TOKENS_MAX) {
      batches.push([])
      tokens = 0
    }
    batches.at(-1)?.push(range)
    tokens += range.tokens
  }
  return batches
}

/** Where the ranges of a batch begin and end, in ascending order. */
function boundsOf(batch: readonly ChunkRange[]): readonly number[] {
  return [...new Set(batch.flatMap(({ from, to }) => [from, to]))]
}

/**
 * Selects JSON: number, tokens and digest of each non-empty range between two bounds. Rows are digested before they are
 * grouped; otherwise PostgreSQL would sort whole rows.
 */
export function selectChunks(conditions: Prisma.Sql, batch: readonly ChunkRange[], seed: string): Prisma.Sql {
  const bounds = boundsOf(batch).map(String)
  return Prisma.sql`SELECT coalesce(json_agg(json_build_array(range, tokens, digest::text)), '[]') FROM (
    SELECT range, count(*) AS tokens, bit_xor(digest) AS digest FROM (
      SELECT width_bucket(create_index, ${bounds}::text[]::bigint[]) AS range, ${digestOfRow(seed)} AS digest
      FROM token WHERE ${conditions} AND create_index >= ${bounds[0]}::bigint AND create_index < ${bounds.at(-1)}::bigint
      OFFSET 0) t
    GROUP BY 1) c`
}

export type ChunkRow = readonly [range: number, tokens: number, digest: string]

/** The answer of {@link selectChunks}, by range. */
export function chunksOf(
  batch: readonly ChunkRange[],
  rows: readonly ChunkRow[],
): readonly (ListChunk | undefined)[] {
  const found = new Map(rows.map(([range, tokens, digest]) => [range, { tokens, digest: BigInt(digest) }]))
  const numbers = new Map(boundsOf(batch).map((bound, i) => [bound, i + 1]))
  return batch.map(({ from }) => found.get(numbers.get(from) ?? 0))
}
