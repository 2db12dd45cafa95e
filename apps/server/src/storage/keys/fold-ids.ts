import type { BaseLogger } from 'pino'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import { KeyRingError } from '../../secrets/key-ring.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { readBytes, readText } from '../read/stored-text.ts'
import { firstEightBytes } from '../token-table.ts'
import { keyHashes } from '../write/row-changes.ts'

/** Tokens per statement. */
const BATCH = 5_000

interface IdRow {
  readonly secret_hash: string
  readonly secret_cipher: string
  readonly secret_key_id: string
  readonly accessor_id: string
}

/**
 * Makes token ids that an earlier release wrote comparable without case: once per database, before the server takes
 * requests. Existing ids that differ only in case keep working; only new ones are refused.
 */
export async function foldIds(prisma: PrismaClient, secrets: SecretBox, log: BaseLogger): Promise<void> {
  if ((await prisma.lookupKey.findFirst())?.foldsIds) return
  let after = '\\x'
  let folded = 0
  for (;;) {
    const rows = await prisma.$queryRaw<IdRow[]>(Prisma.sql`
      SELECT secret_hash::text, secret_cipher::text, secret_key_id, accessor_id FROM token
      WHERE secret_hash > ${after}::text::bytea ORDER BY secret_hash LIMIT ${BATCH}::int`)
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.secret_hash
    const changed = rows.flatMap((row) => foldedRow(row, secrets) ?? [])
    if (changed.length === 0) continue
    folded += changed.length
    // Takes the lock that every commit takes first, to avoid deadlocks over rows.
    await prisma.$transaction([
      prisma.$queryRaw`SELECT index FROM commit_index FOR UPDATE`,
      prisma.$executeRaw(Prisma.sql`
        UPDATE token t SET accessor_hash = nullif(f.accessor, '')::bigint, folded_hash = nullif(f.folded, '')::bytea
        FROM unnest(${changed.map(({ hash }) => hash)}::text[]::bytea[], ${changed.map(({ accessor }) => accessor)}::text[],
          ${changed.map(({ secret }) => secret)}::text[]) AS f (hash, accessor, folded)
        WHERE t.secret_hash = f.hash`),
    ])
  }
  await prisma.lookupKey.updateMany({ data: { foldsIds: true } })
  if (folded > 0) log.info(`made ${folded} tokens with ids in capitals comparable without case`)
}

/** @returns undefined if case makes no difference, or the secret cannot be decrypted. */
function foldedRow(row: IdRow, secrets: SecretBox) {
  const sealed = { keyId: row.secret_key_id, bytes: readBytes(row.secret_cipher) }
  const AccessorID = readText(row.accessor_id)
  try {
    const SecretID = secrets.open(sealed, row.secret_hash.slice(2))
    const { accessorHash, foldedHash } = keyHashes({ AccessorID, SecretID }, secrets)
    if (foldedHash === undefined && AccessorID === AccessorID.toLowerCase()) return undefined
    return {
      hash: row.secret_hash,
      accessor: accessorHash ? firstEightBytes(accessorHash) : '',
      secret: foldedHash ? `\\x${foldedHash}` : '',
    }
  } catch (error) {
    if (error instanceof KeyRingError) return undefined
    throw error
  }
}
