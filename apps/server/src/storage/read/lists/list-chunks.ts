/** What the database holds of a list of tokens, without reading it: for comparison with what was read before. */
import { Prisma } from '../../../generated/prisma/client.ts'
import { TOKEN_COLUMNS } from '../../token-table.ts'

/** The tokens of a list that were created between two indexes. */
export interface ListChunk {
  readonly tokens: number
  /** The highest ModifyIndex. */
  readonly modifyIndex: number
  /** All that answers depend on, hashed to 64 bits; as decimal text. */
  readonly digest: string
}

/** The form of a secret's ciphertext changes when its key does; its lookup hash stands for it. */
const SEALED = new Set<string>(['secret_cipher', 'secret_key_id'])

/** JSON has no hash in PostgreSQL. */
const DIGESTED = Prisma.raw(
  TOKEN_COLUMNS.filter(({ name, isRead }) => isRead && !SEALED.has(name))
    .map(({ name, sql }) => (sql === 'json' ? `${name}::text` : name))
    .join(', '),
)

/**
 * Selects JSON: per chunk its number, tokens, modify index and digest.
 *
 * @param starts create indexes in ascending order. Chunk 0 lies before the first of them, chunk n from the n-th on.
 * @param seed of the hash: a signed 64-bit number as text. Without knowing it, nobody can make two tokens of one digest.
 */
export function selectChunks(conditions: Prisma.Sql, starts: readonly number[], seed: string): Prisma.Sql {
  return Prisma.sql`SELECT coalesce(json_agg(json_build_array(chunk, tokens, modify_index, digest::text)), '[]') FROM (
    SELECT width_bucket(create_index, ${starts.map(String)}::text[]::bigint[]) AS chunk, count(*) AS tokens,
      max(modify_index) AS modify_index, bit_xor(hash_record_extended(ROW(${DIGESTED}), ${seed}::bigint)) AS digest
    FROM token WHERE ${conditions} GROUP BY 1) c`
}

export type ChunkRow = readonly [chunk: number, tokens: number, modifyIndex: number, digest: string]

export function chunksOfRows(rows: readonly ChunkRow[]): ReadonlyMap<number, ListChunk> {
  return new Map(rows.map(([chunk, tokens, modifyIndex, digest]) => [chunk, { tokens, modifyIndex, digest }]))
}
