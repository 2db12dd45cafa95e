import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { Sealed } from '../../secrets/key-ring.ts'
import { storeBytes } from '../read/stored-text.ts'

/** A sealed secret, and the hash in hex that it is bound to. */
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
 * Examines `limit` tokens and returns those sealed by one of these keys. The limit is on examined rows, not on found
 * ones: there is no index from a key to its tokens, so a search without results would read the whole table.
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
 * Replaces ciphertexts, if the row still has the key it was read with. The records stay the same, so no index changes
 * and no waiter wakes.
 *
 * Skips a row that a commit has locked. Waiting for it could deadlock, because the commit may be waiting for another
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
 * Removes the sample of a key, unless it has been renewed or its key seals the lookup key.
 *
 * @returns whether it was removed.
 */
export async function removeSample(prisma: PrismaClient, { keyId, bytes }: Sealed): Promise<boolean> {
  const removed = await prisma.$executeRaw(Prisma.sql`
    DELETE FROM sealing_key WHERE key_id = ${keyId} AND sample = ${storeBytes(bytes)}::text::bytea
      AND NOT EXISTS (SELECT FROM lookup_key WHERE key_id = ${keyId})`)
  return removed > 0
}
