/**
 * The columns of a token, defined once. Derived from this table: the columns that a commit sends, the SQL function that
 * writes them (`scripts/commit-rows-sql.ts`), the columns that a read selects, and the record decoded from them.
 */
import { BLANK_TOKEN, type StoredLink, type TokenRecord } from '@latchkey/acl'
import { ownText, parseInstant } from '@latchkey/contract'
import { KeyRingError, type Sealed } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { readBytes, readText, storeBytes, storeText } from './read/stored-text.ts'
import { arrayText, type Column } from './write/columns.ts'

/** A token to be stored. Hashes are lookup hashes in hex. */
interface TokenSource {
  readonly record: TokenRecord
  readonly secretHash: string
  /** Undefined for an update that leaves the ids, and the values made from them, unchanged. */
  readonly ofIds: OfIds | undefined
}

/** Values made from the ids of a token, which take long to compute. */
export interface OfIds {
  readonly accessorHash: string | undefined
  readonly foldedHash: string | undefined
  readonly sealed: Sealed
}

interface TokenColumn<N extends string, F extends keyof TokenRecord | undefined>
  extends Omit<Column<TokenSource>, 'name'> {
  readonly name: N
  /** Filled with the index of the commit: always, or if the record is new and has none. */
  readonly stamp?: 'created' | 'modified'
  /** Whether a read selects it; the others only serve indexes. */
  readonly isRead: boolean
  readonly isNullable?: boolean
  /** A value of {@link OfIds}: an update that sends null keeps the stored value. */
  readonly isKept?: boolean
  /** The record's field, and how to decode the column's text; `''` for null. */
  readonly field?: F
  readonly decode?: (text: string) => unknown
}

type ColumnOf<S> = Omit<TokenColumn<string, undefined>, 'name' | 'isRead' | 'field' | 'decode'> & S

/** A column for an index or for the secret, from which alone no field of the record is made. */
function hidden<N extends string>(
  name: N,
  column: ColumnOf<{ readonly isRead?: boolean }>,
): TokenColumn<N, undefined> {
  return { isRead: false, ...column, name }
}

function shown<N extends string, F extends keyof TokenRecord>(
  name: N,
  field: F,
  column: ColumnOf<{ readonly decode: (text: string) => TokenRecord[F] }>,
): TokenColumn<N, F> {
  return { ...column, name, field, isRead: true }
}

type TextField =
  | 'Namespace'
  | 'Description'
  | 'Rules'
  | 'AuthMethod'
  | 'LoginIdentity'
  | 'CreateTime'
  | 'Hash'
type LinksField = 'Policies' | 'Roles'
type JsonField = 'ServiceIdentities' | 'NodeIdentities'

function text<N extends string, F extends TextField>(name: N, field: F): TokenColumn<N, F> {
  const encode = ({ record }: TokenSource) => storeText(record[field])
  return shown<N, F>(name, field, { sql: 'text', encode, decode: readText })
}

function links<N extends string, F extends LinksField>(name: N, field: F): TokenColumn<N, F> {
  const encode = ({ record }: TokenSource) => arrayText(record[field].map(({ ID }) => storeText(ID)))
  return shown<N, F>(name, field, { sql: 'text[]', encode, decode: readLinks })
}

/** JSON itself escapes what `storeText` would: lone surrogates and control characters. */
function json<N extends string, F extends JsonField>(name: N, field: F): TokenColumn<N, F> {
  const encode = ({ record }: TokenSource) => JSON.stringify(record[field])
  const decode = (stored: string): TokenRecord[F] => (stored === '[]' ? NONE : JSON.parse(stored))
  return shown<N, F>(name, field, { sql: 'json', encode, decode })
}

/** In the order of the table. */
export const TOKEN_COLUMNS = [
  hidden('secret_hash', { sql: 'bytea', encode: ({ secretHash }) => `\\x${secretHash}`, isRead: true }),
  hidden('secret_cipher', {
    sql: 'bytea',
    encode: ({ ofIds }) => ofIds && storeBytes(ofIds.sealed.bytes),
    isRead: true,
    isKept: true,
  }),
  hidden('secret_key_id', {
    sql: 'text',
    encode: ({ ofIds }) => ofIds?.sealed.keyId,
    isRead: true,
    isKept: true,
  }),
  shown('accessor_id', 'AccessorID', {
    sql: 'text',
    encode: ({ record }) => storeText(record.AccessorID),
    decode: readText,
  }),
  hidden('accessor_key', { sql: 'text', encode: ({ record }) => accessorKeyOf(record) }),
  hidden('accessor_hash', {
    sql: 'bigint',
    isKept: true,
    encode: ({ ofIds }) => ofIds?.accessorHash && firstEightBytes(ofIds.accessorHash),
  }),
  text('namespace', 'Namespace'),
  text('description', 'Description'),
  links('policies', 'Policies'),
  links('roles', 'Roles'),
  json('service_identities', 'ServiceIdentities'),
  hidden('service_names', {
    sql: 'text[]',
    encode: ({ record }) =>
      arrayText(record.ServiceIdentities.map(({ ServiceName }) => storeText(ServiceName))),
  }),
  json('node_identities', 'NodeIdentities'),
  text('rules', 'Rules'),
  shown('type', 'Type', {
    sql: 'text',
    encode: ({ record }) => record.Type,
    decode: (stored) => stored as TokenRecord['Type'],
  }),
  shown('local', 'Local', {
    sql: 'boolean',
    encode: ({ record }) => record.Local,
    decode: (stored) => stored === 't',
  }),
  text('auth_method', 'AuthMethod'),
  shown('auth_method_namespace', 'AuthMethodNamespace', {
    sql: 'text',
    isNullable: true,
    encode: ({ record }) => storeText(record.AuthMethodNamespace),
    decode: readText,
  }),
  shown('auth_method_generation', 'AuthMethodGeneration', {
    sql: 'text',
    isNullable: true,
    encode: ({ record }) => (record.AuthMethodGeneration === 0 ? '' : `${record.AuthMethodGeneration}`),
    decode: Number,
  }),
  shown('login_identity', 'LoginIdentity', {
    sql: 'text',
    isNullable: true,
    encode: ({ record }) => storeText(record.LoginIdentity),
    decode: readText,
  }),
  shown('expiration_time', 'ExpirationTime', {
    sql: 'text',
    isNullable: true,
    encode: ({ record }) => record.ExpirationTime ?? null,
    decode: (stored) => stored || undefined,
  }),
  hidden('expires_at', {
    sql: 'timestamptz',
    encode: ({ record }) => {
      const expiresAt = record.ExpirationTime === undefined ? undefined : parseInstant(record.ExpirationTime)
      return expiresAt === undefined ? null : new Date(expiresAt).toISOString()
    },
  }),
  text('create_time', 'CreateTime'),
  text('hash', 'Hash'),
  shown('create_index', 'CreateIndex', {
    sql: 'bigint',
    stamp: 'created',
    encode: ({ record }) => record.CreateIndex,
    decode: Number,
  }),
  shown('modify_index', 'ModifyIndex', { sql: 'bigint', stamp: 'modified', encode: () => 0, decode: Number }),
  hidden('folded_hash', {
    sql: 'bytea',
    isKept: true,
    encode: ({ ofIds }) => ofIds?.foldedHash && `\\x${ofIds.foldedHash}`,
  }),
] as const

/** The columns that a commit sends: all except its index. */
export const SENT_TOKEN_COLUMNS: readonly Column<TokenSource>[] = TOKEN_COLUMNS.filter(
  ({ name }) => name !== 'modify_index',
)

type ReadColumn = TokenColumn<string, keyof TokenRecord | undefined>
const READ_COLUMNS: readonly ReadColumn[] = TOKEN_COLUMNS.filter(({ isRead }) => isRead)

/**
 * Terminators of fields and rows when rows are read as one text, which costs PostgreSQL a third of JSON. They occur in
 * no stored text, where a digit always follows this character (see `stored-text.ts`), and not in JSON or numbers
 * either.
 */
export const FIELD_END = '\u001a,'
export const ROW_END = '\u001a;'

/** The columns of a read as SQL: texts, none of them null, in the order that {@link readTokenRows} expects. */
export const TOKEN_FIELDS_SQL: string = READ_COLUMNS.map(({ name, sql, isNullable }) => {
  if (sql === 'text[]') return `array_to_json(${name})`
  return isNullable ? `coalesce(${name}, '')` : name
}).join(', ')

const place = (name: (typeof TOKEN_COLUMNS)[number]['name']) =>
  READ_COLUMNS.findIndex((column) => column.name === name)
const SECRET_HASH = place('secret_hash')
const SECRET_CIPHER = place('secret_cipher')
const SECRET_KEY_ID = place('secret_key_id')
const ACCESSOR_ID = place('accessor_id')
const CREATE_INDEX = place('create_index')
const MODIFY_INDEX = place('modify_index')

/** A token row with its secret still sealed. */
export interface TokenRow {
  /** In hex. */
  readonly secretHash: string
  readonly accessorId: string
  readonly createIndex: number
  readonly modifyIndex: number
  /** Every column that a read selects, as text. */
  readonly fields: readonly string[]
}

/** @param text rows separated by {@link ROW_END}, their fields by {@link FIELD_END}. */
export function readTokenRows(text: string): readonly TokenRow[] {
  if (text === '') return []
  return text.split(ROW_END).map((row) => {
    const fields = row.split(FIELD_END)
    const next = (i: number) => fields[i] ?? ''
    return {
      secretHash: next(SECRET_HASH).slice(2),
      accessorId: readText(next(ACCESSOR_ID)),
      createIndex: Number(next(CREATE_INDEX)),
      modifyIndex: Number(next(MODIFY_INDEX)),
      fields,
    }
  })
}

type ColumnField = Exclude<(typeof TOKEN_COLUMNS)[number]['field'], undefined>

/** Resolves to a type that no record satisfies if a field has no column. */
type WithColumns = {
  readonly [F in keyof TokenRecord]-?: F extends ColumnField | 'SecretID' ? unknown : never
}

/** The fields of a record in the order in which the rules create them. */
const FIELD_ORDER = Object.keys(BLANK_TOKEN satisfies WithColumns)

const FIELDS = FIELD_ORDER.map((field) => {
  const at = READ_COLUMNS.findIndex((column) => column.field === field)
  return { field: field as keyof TokenRecord, at, decode: READ_COLUMNS[at]?.decode }
})

/** @throws KeyRingError if the ring cannot open the secret. */
export function tokenOfRow({ secretHash, fields }: TokenRow, secrets: Pick<SecretBox, 'open'>): TokenRecord {
  const record: Partial<Record<keyof TokenRecord, unknown>> = {}
  for (const { field, at, decode } of FIELDS) {
    // The secret is the only field made from several columns.
    record[field] = decode ? decode(fields[at] ?? '') : openSecret(secretHash, fields, secrets)
  }
  return record as unknown as TokenRecord
}

/** A copy of a record whose strings do not retain the text of all rows that were read with it. */
export function ownRecord(token: TokenRecord): TokenRecord {
  const own: Partial<Record<keyof TokenRecord, unknown>> = { ...token }
  for (const { field } of FIELDS) {
    const value = own[field]
    if (typeof value === 'string') own[field] = ownText(value)
  }
  return own as TokenRecord
}

/** As {@link tokenOfRow}, with an empty secret if the ring cannot open it: one bad row must not fail a read of many. */
export function tokenOfAnyRow(row: TokenRow, secrets: SecretBox): TokenRecord {
  try {
    return tokenOfRow(row, secrets)
  } catch (error) {
    if (!(error instanceof KeyRingError)) throw error
    return tokenOfRow(row, { open: () => '' })
  }
}

function openSecret(secretHash: string, fields: readonly string[], secrets: Pick<SecretBox, 'open'>): string {
  const sealed = { keyId: fields[SECRET_KEY_ID] ?? '', bytes: readBytes(fields[SECRET_CIPHER] ?? '') }
  return secrets.open(sealed, secretHash)
}

/** Adds what a commit sends for a stored token, in the order of {@link SENT_TOKEN_COLUMNS}. */
export function pushToken(values: unknown[], token: TokenSource): void {
  for (const { encode } of SENT_TOKEN_COLUMNS) values.push(encode(token))
}

/** Adds what a commit sends for a deleted token: the keys that the change log records. */
export function pushTokenKeys(values: unknown[], record: TokenRecord, secretHash: string): void {
  for (const { name } of SENT_TOKEN_COLUMNS) {
    if (name === 'secret_hash') values.push(`\\x${secretHash}`)
    else values.push(name === 'accessor_key' ? accessorKeyOf(record) : null)
  }
}

/** A signed 64-bit number as text, as PostgreSQL's `bigint` reads it. */
export function firstEightBytes(hash: string): string {
  return BigInt.asIntN(64, BigInt(`0x${hash.slice(0, 16)}`)).toString()
}

function accessorKeyOf({ AccessorID }: TokenRecord): string | null {
  return AccessorID === '' ? null : storeText(AccessorID.toLowerCase())
}

function readLinks(stored: string): readonly StoredLink[] {
  return stored === '[]' ? NONE : JSON.parse(stored).map((id: string) => ({ ID: readText(id) }))
}

/** Most tokens lack most kinds of links. */
const NONE = [] as never[]
