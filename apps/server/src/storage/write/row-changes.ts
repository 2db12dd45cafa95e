import { idKey, type TokenRecord } from '@latchkey/acl'
import type { Change } from '@latchkey/service'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { encodeKv, KV_COLUMNS, type KvChange } from '../kv-table.ts'
import { storeBytes } from '../read/stored-text.ts'
import { encodeToken, encodeTokenKeys, firstEightBytes, SENT_TOKEN_COLUMNS } from '../token-table.ts'
import { type Column, columnArrays } from './columns.ts'

type TokenChange = Extract<Change, { readonly table: 'tokens' }>
/** Changes of the tables with many rows: they travel as arrays of columns to the SQL function. */
export type RowChange = TokenChange | KvChange

/** An encoded change: its values in the order of the columns of its table. */
export interface EncodedRow {
  readonly values: readonly unknown[]
  /** For a token: the lookup hash of its secret in hex. */
  readonly secretHash: string | undefined
}

interface ChangeSource {
  readonly change: RowChange
  /** Place of the change within its write. */
  readonly place: number
}

/** Ordinals of one change: a deleted tree takes one per key. */
export const ORDINALS_PER_CHANGE = 1_000_000
/** Expects any state. */
const ANY = -1

/** Sent with every change. */
export const CHANGE_COLUMNS: readonly Column<ChangeSource>[] = [
  { name: 'ordinal', sql: 'integer', sent: 'shared', encode: ({ place }) => place * ORDINALS_PER_CHANGE },
  { name: 'op', sql: 'text', sent: 'shared', encode: ({ change }) => change.op },
  {
    name: 'expect',
    sql: 'bigint',
    sent: 'shared',
    encode: ({ change }) => (change.op === 'delete-tree' ? ANY : (change.expect ?? ANY)),
  },
]

interface ClaimSource {
  readonly isNew: boolean
  readonly hash: Buffer
  readonly accessorHash: Buffer | undefined
  readonly foldedHash: Buffer | undefined
}

/**
 * An id must be new among accessors and secrets alike, in any case (decisions: tokens), so a new token brings the hash of
 * its accessor to be looked for among the secrets, and of its secret to be looked for among the accessors.
 */
export const TOKEN_CLAIM_COLUMNS: readonly Column<ClaimSource>[] = [
  {
    name: 'accessor_as_secret',
    sql: 'bytea',
    sent: 'each',
    encode: ({ isNew, accessorHash }) => (isNew && accessorHash ? storeBytes(accessorHash) : null),
  },
  {
    name: 'secret_as_accessor',
    sql: 'bigint',
    sent: 'each',
    encode: ({ isNew, hash, foldedHash }) => (isNew ? firstEightBytes(foldedHash ?? hash) : null),
  },
]

/** A column as the SQL function and its caller see it. */
export type Parameter = Pick<Column<never>, 'name' | 'sql' | 'sent'>

/** What is sent of a token and of a key, in the order of the parameters of the SQL function. */
export const TOKEN_PARAMETERS: readonly Parameter[] = [
  ...CHANGE_COLUMNS,
  ...TOKEN_CLAIM_COLUMNS,
  ...SENT_TOKEN_COLUMNS,
]
export const KV_PARAMETERS: readonly Parameter[] = [...CHANGE_COLUMNS, ...KV_COLUMNS]

/** Encodes a change for the database. Only here does a secret become a keyed hash and a ciphertext. */
export function encodeRow(change: RowChange, place: number, secrets: SecretBox): EncodedRow {
  const common = CHANGE_COLUMNS.map(({ encode }) => encode({ change, place }))
  if (change.table === 'kv') return { values: [...common, ...encodeKv(change)], secretHash: undefined }
  const { record, op, expect } = change
  const hash = secrets.lookupHash(record.SecretID)
  const hashes = { hash, ...keyHashes(record, secrets) }
  const claim = { isNew: op === 'put' && expect === 0, ...hashes }
  const values = op === 'put' ? encodeToken({ record, ...hashes }, secrets) : encodeTokenKeys(record, hash)
  return {
    values: [...common, ...TOKEN_CLAIM_COLUMNS.map(({ encode }) => encode(claim)), ...values],
    secretHash: hash.toString('hex'),
  }
}

/** Hashes of what counts without case: of the accessor, and of the secret where that differs from what was typed. */
export function keyHashes(
  { AccessorID, SecretID }: Pick<TokenRecord, 'AccessorID' | 'SecretID'>,
  secrets: SecretBox,
): Pick<ClaimSource, 'accessorHash' | 'foldedHash'> {
  const key = idKey(SecretID)
  return {
    accessorHash: AccessorID === '' ? undefined : secrets.lookupHash(AccessorID.toLowerCase()),
    foldedHash: key === SecretID ? undefined : secrets.lookupHash(key),
  }
}

/** The rows of each write of a group as parameters: the number of the write, then the columns. */
export function rowParameters(
  parameters: readonly Parameter[],
  writes: readonly (readonly EncodedRow[])[],
): readonly (readonly unknown[])[] {
  const numbers = writes.flatMap((rows, i) => rows.map(() => i + 1))
  const values = writes.flatMap((rows) => rows.map((row) => row.values))
  return [numbers, ...columnArrays(parameters, values)]
}
