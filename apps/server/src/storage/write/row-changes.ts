import { idKey, type TokenRecord } from '@latchkey/acl'
import type { Change } from '@latchkey/service'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { encodeKv, KV_COLUMNS, type KvChange } from '../kv-table.ts'
import type { TokenCache } from '../read/caches.ts'
import { firstEightBytes, type OfIds, pushToken, pushTokenKeys, SENT_TOKEN_COLUMNS } from '../token-table.ts'
import type { Column } from './columns.ts'

type TokenChange = Extract<Change, { readonly table: 'tokens' }>
/** Changes of the tables with many rows, which are passed to the SQL function as arrays of columns. */
export type RowChange = TokenChange | KvChange

export interface EncodedRow {
  readonly values: readonly unknown[]
  /** For a token: the lookup hash of its secret in hex. */
  readonly secretHash: string | undefined
}

interface ChangeSource {
  readonly change: RowChange
  readonly ordinal: number
}

/** Ordinals reserved for a deleted tree, which uses one per key. Any other change uses one. */
export const ORDINALS_PER_TREE = 1_000_000
const ANY = -1

const CHANGE_COLUMNS: readonly Column<ChangeSource>[] = [
  { name: 'ordinal', sql: 'integer', encode: ({ ordinal }) => ordinal },
  { name: 'op', sql: 'text', encode: ({ change }) => change.op },
  {
    name: 'expect',
    sql: 'bigint',
    encode: ({ change }) => (change.op === 'delete-tree' ? ANY : (change.expect ?? ANY)),
  },
]

/** Undefined unless the token is new. */
type ClaimSource = { readonly secretHash: string; readonly ofIds: OfIds } | undefined

/**
 * An id must be unique among accessors and secrets together, ignoring case (decisions: tokens). A new token is
 * therefore sent with the hash of its accessor, which must not occur among the secrets, and the hash of its secret,
 * which must not occur among the accessors.
 */
const TOKEN_CLAIM_COLUMNS: readonly Column<ClaimSource>[] = [
  {
    name: 'accessor_as_secret',
    sql: 'bytea',
    encode: (claim) => claim?.ofIds.accessorHash && `\\x${claim.ofIds.accessorHash}`,
  },
  {
    name: 'secret_as_accessor',
    sql: 'bigint',
    encode: (claim) => claim && firstEightBytes(claim.ofIds.foldedHash ?? claim.secretHash),
  },
]

export type Parameter = Pick<Column<never>, 'name' | 'sql'>

/** The columns sent for a token and for a key, in the order of the parameters of the SQL function. */
export const TOKEN_PARAMETERS: readonly Parameter[] = [
  ...CHANGE_COLUMNS,
  ...TOKEN_CLAIM_COLUMNS,
  ...SENT_TOKEN_COLUMNS,
]
export const KV_PARAMETERS: readonly Parameter[] = [...CHANGE_COLUMNS, ...KV_COLUMNS]

/** The only place where a secret becomes a keyed hash and a ciphertext. @param cache spares updates both. */
export function encodeRow(
  change: RowChange,
  ordinal: number,
  secrets: SecretBox,
  cache: Pick<TokenCache, 'secretHashOf'> | undefined,
): EncodedRow {
  const source = { change, ordinal }
  const values = CHANGE_COLUMNS.map(({ encode }) => encode(source))
  if (change.table === 'kv') {
    values.push(...encodeKv(change))
    return { values, secretHash: undefined }
  }
  const { record, op, expect } = change
  const known = expect ? cache?.secretHashOf(record, expect) : undefined
  const secretHash = known ?? secrets.lookupHash(record.SecretID)
  const ofIds =
    op === 'put' && known === undefined
      ? { ...keyHashes(record, secrets), sealed: secrets.seal(record.SecretID, secretHash) }
      : undefined
  const claim = expect === 0 && ofIds ? { secretHash, ofIds } : undefined
  for (const { encode } of TOKEN_CLAIM_COLUMNS) values.push(encode(claim))
  if (op === 'put') pushToken(values, { record, secretHash, ofIds })
  else pushTokenKeys(values, record, secretHash)
  return { values, secretHash }
}

/** Case-insensitive hashes: of the accessor, and of the secret if its lower-case form differs. */
export function keyHashes(
  { AccessorID, SecretID }: Pick<TokenRecord, 'AccessorID' | 'SecretID'>,
  secrets: SecretBox,
): Omit<OfIds, 'sealed'> {
  const key = idKey(SecretID)
  return {
    accessorHash: AccessorID === '' ? undefined : secrets.lookupHash(AccessorID.toLowerCase()),
    foldedHash: key === SecretID ? undefined : secrets.lookupHash(key),
  }
}
