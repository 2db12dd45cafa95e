import type { Sealed } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { readBytes, readText, storeBytes } from '../storage/read/stored-text.ts'
import { REPLICATION_TOKEN_ID, readSealedToken, showSealedToken } from '../storage/sealed-rows.ts'
import { firstEightBytes } from '../storage/token-table.ts'
import { keyHashes } from '../storage/write/row-changes.ts'
import type { Rows } from './format.ts'

interface TokenRow {
  readonly secret_hash: string
  readonly secret_cipher: string
  readonly secret_key_id: string
  readonly accessor_id: string
}

interface AuthMethodRow {
  readonly key: string
  readonly secret_cipher: string | null
  readonly secret_key_id: string | null
}

interface SystemRow {
  readonly key: string
  readonly value: Parameters<typeof readSealedToken>[0]['value']
}

/** How to convert the rows of a table for another store. Rows of other tables stay the same. */
const REWRAP: Readonly<Record<string, (row: never, secrets: SecretBox) => object>> = {
  token: rewrapToken,
  auth_method: rewrapAuthMethod,
  system: rewrapSystem,
}

/**
 * Converts the rows of a page for another store: its lookup key hashes their secrets, and its active key seals them.
 * Every secret of an archive is therefore opened before anything is replaced.
 *
 * @throws KeyRingError for a secret that cannot be opened.
 */
export function rewrapRows({ table, json }: Rows, secrets: SecretBox): string {
  const rewrap = REWRAP[table]
  if (rewrap === undefined) return json
  const rows = JSON.parse(json) as never[]
  return JSON.stringify(rows.map((row) => rewrap(row, secrets)))
}

function rewrapToken(row: TokenRow, secrets: SecretBox): object {
  const sealed = sealedOf(row.secret_key_id, row.secret_cipher)
  const SecretID = secrets.open(sealed, row.secret_hash.slice(2))
  const hash = secrets.lookupHash(SecretID)
  const { accessorHash, foldedHash } = keyHashes({ AccessorID: readText(row.accessor_id), SecretID }, secrets)
  const isSame = row.secret_hash.slice(2) === hash
  const { keyId, bytes } = isSame ? secrets.rewrap(sealed, hash) : secrets.seal(SecretID, hash)
  return {
    ...row,
    secret_hash: `\\x${hash}`,
    secret_cipher: storeBytes(bytes),
    secret_key_id: keyId,
    accessor_hash: accessorHash === undefined ? null : firstEightBytes(accessorHash),
    folded_hash: foldedHash === undefined ? null : `\\x${foldedHash}`,
  }
}

function rewrapAuthMethod(row: AuthMethodRow, secrets: SecretBox): object {
  const { key, secret_cipher, secret_key_id } = row
  if (secret_cipher === null || secret_key_id === null) return row
  const id = `auth-method/${key}`
  const { keyId, bytes } = rewrapOpened(sealedOf(secret_key_id, secret_cipher), id, secrets)
  return { ...row, secret_cipher: storeBytes(bytes), secret_key_id: keyId }
}

function rewrapSystem(row: SystemRow, secrets: SecretBox): object {
  if (row.key !== 'replication-token') return row
  const sealed = rewrapOpened(readSealedToken(row), REPLICATION_TOKEN_ID, secrets)
  return { ...row, value: showSealedToken(sealed) }
}

/** Also opens a secret that the active key has already sealed. */
function rewrapOpened(sealed: Sealed, id: string, secrets: SecretBox): Sealed {
  return secrets.seal(secrets.open(sealed, id), id)
}

function sealedOf(keyId: string, stored: string): Sealed {
  return { keyId, bytes: readBytes(stored) }
}
