import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { Sealed } from '../../secrets/key-ring.ts'
import { storeBytes } from '../read/stored-text.ts'

/** A sealed secret and its hash in hex, which it is bound to. */
export interface SealedSecretRow {
  readonly secret_hash: string
  readonly secret_cipher: string
  readonly secret_key_id: string
}

/** Some tokens in the order of their hashes. `last` is the last hash examined; null after the end. */
interface SealedSecretPage {
  readonly last: string | null
  readonly rows: readonly SealedSecretRow[]
}

/**
 * Examines `limit` tokens and returns those sealed by one of these keys. Bounded by rows examined, not found: no
 * index leads from a key to its tokens, so a search that finds none would read the whole table.
 *
 * @param after the hash to continue after; `\x` at the beginning.
 */
export async function sealedSecrets(
  prisma: PrismaClient,
  keyIds: readonly string[],
  after: string,
  limit: number,
): Promise<SealedSecretPage> {
  const [row] = await prisma.$queryRaw<{ answer: SealedSecretPage }[]>(Prisma.sql`
    WITH page AS MATERIALIZED (
      SELECT secret_hash, secret_cipher, secret_key_id FROM token
      WHERE secret_hash > ${after}::text::bytea ORDER BY secret_hash LIMIT ${limit}::int
    )
    SELECT json_build_object(
      'last', (SELECT secret_hash FROM page ORDER BY secret_hash DESC LIMIT 1),
      'rows', (SELECT coalesce(json_agg(page), '[]') FROM page WHERE secret_key_id = ANY (${keyIds}::text[]))
    ) AS answer`)
  return row?.answer ?? { last: null, rows: [] }
}

/**
 * Replaces ciphers, if the row still has the key it was read with. No index changes and no waiter wakes: the records
 * stay the same.
 *
 * Skips a row that a commit has locked. Waiting for it could be a deadlock, as the commit may be waiting for another
 * row of this batch.
 *
 * @returns how many were replaced.
 */
export async function replaceCiphers(
  prisma: PrismaClient,
  secrets: readonly { readonly row: SealedSecretRow; readonly sealed: Sealed }[],
): Promise<number> {
  const hashes = secrets.map(({ row }) => row.secret_hash)
  const before = secrets.map(({ row }) => row.secret_key_id)
  const after = secrets.map(({ sealed }) => sealed.keyId)
  const ciphers = secrets.map(({ sealed }) => storeBytes(sealed.bytes))
  return prisma.$executeRaw(Prisma.sql`
    WITH fresh AS MATERIALIZED (
      SELECT * FROM unnest(${hashes}::text[]::bytea[], ${before}::text[], ${after}::text[], ${ciphers}::text[]::bytea[])
        AS f (secret_hash, before, after, cipher)
    ),
    free AS MATERIALIZED (
      SELECT f.* FROM fresh f JOIN token t ON t.secret_hash = f.secret_hash AND t.secret_key_id = f.before
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )
    UPDATE token t SET secret_cipher = f.cipher, secret_key_id = f.after
    FROM free f WHERE t.secret_hash = f.secret_hash AND t.secret_key_id = f.before`)
}

/**
 * Removes the sample of a key, unless it was renewed since or its key seals the lookup key.
 *
 * @returns whether it was removed.
 */
export async function removeSample(prisma: PrismaClient, { keyId, bytes }: Sealed): Promise<boolean> {
  const removed = await prisma.$executeRaw(Prisma.sql`
    DELETE FROM sealing_key WHERE key_id = ${keyId} AND sample = ${storeBytes(bytes)}::text::bytea
      AND NOT EXISTS (SELECT FROM lookup_key WHERE key_id = ${keyId})`)
  return removed > 0
}
