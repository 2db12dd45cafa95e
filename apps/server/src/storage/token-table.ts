/**
 * The columns of a token, defined once. Derived from this table: the columns that a commit sends, the SQL function
 * that writes them (`scripts/commit-rows-sql.ts`), the columns that a read selects, and the record decoded from them.
 */
import { BLANK_TOKEN, type StoredLink, type TokenRecord } from '@latchkey/acl'
import { ownText, parseInstant } from '@latchkey/contract'
import { ifOpens, type Sealed } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { readBytes, readText, storeBytes, storeText } from './read/stored-text.ts'
import { arrayText, type Column } from './write/columns.ts'

/** A token to be stored. Hashes are lookup hashes in hex. */
interface TokenSource {
  readonly record: TokenRecord
  readonly secretHash: string
  readonly ofIds: OfIds | undefined
}

/** Values made from the ids of a token, which take long to compute. */
export interface OfIds {
  readonly accessorHash: string | undefined
  readonly foldedHash: string | undefined
  readonly sealed: Sealed
}

interface TokenColumn extends Column<TokenSource> {
  /** Filled with the index of the commit: always, or if the record is new and has none. */
  readonly stamp?: 'created' | 'modified'
  readonly isNullable?: boolean
  /** A value of {@link OfIds}: an update that sends null keeps the stored value. */
  readonly isKept?: boolean
  /** A part of the stored secret, which a read selects, too. */
  readonly isOfSecret?: boolean
  /** The record's field. A read selects its column; columns without a field only serve indexes or the secret. */
  readonly field?: keyof TokenRecord
  /** Decodes the column's text; `''` for null. */
  readonly decode?: (text: string) => unknown
}

type FieldOf<T> = { [F in keyof TokenRecord]: TokenRecord[F] extends T ? F : never }[keyof TokenRecord]

function text<const N extends string, F extends FieldOf<string>>(name: N, field: F) {
  const encode = ({ record }: TokenSource) => storeText(record[field])
  return { name, field, sql: 'text', encode, decode: readText } as const
}

/** For a column that may be null. */
function maybeText<const N extends string, F extends FieldOf<string>>(name: N, field: F) {
  return { ...text(name, field), isNullable: true } as const
}

function links<const N extends string, F extends 'Policies' | 'Roles'>(name: N, field: F) {
  const encode = ({ record }: TokenSource) => arrayText(record[field].map(({ ID }) => storeText(ID)))
  return { name, field, sql: 'text[]', encode, decode: readLinks } as const
}

/** JSON itself escapes what `storeText` would: lone surrogates and control characters. */
function json<const N extends string, F extends 'ServiceIdentities' | 'NodeIdentities'>(name: N, field: F) {
  const encode = ({ record }: TokenSource) => JSON.stringify(record[field])
  const decode = (stored: string) => (stored === '[]' ? NONE : JSON.parse(stored))
  return { name, field, sql: 'json', encode, decode } as const
}

const TABLE = [
  { name: 'secret_hash', sql: 'bytea', isOfSecret: true, encode: ({ secretHash }) => `\\x${secretHash}` },
  {
    name: 'secret_cipher',
    sql: 'bytea',
    isOfSecret: true,
    isKept: true,
    encode: ({ ofIds }) => ofIds && storeBytes(ofIds.sealed.bytes),
  },
  {
    name: 'secret_key_id',
    sql: 'text',
    isOfSecret: true,
    isKept: true,
    encode: ({ ofIds }) => ofIds?.sealed.keyId,
  },
  text('accessor_id', 'AccessorID'),
  { name: 'accessor_key', sql: 'text', encode: ({ record }) => accessorKeyOf(record) },
  {
    name: 'accessor_hash',
    sql: 'bigint',
    isKept: true,
    encode: ({ ofIds }) => ofIds?.accessorHash && firstEightBytes(ofIds.accessorHash),
  },
  text('namespace', 'Namespace'),
  text('description', 'Description'),
  links('policies', 'Policies'),
  links('roles', 'Roles'),
  json('service_identities', 'ServiceIdentities'),
  {
    name: 'service_names',
    sql: 'text[]',
    encode: ({ record }) =>
      arrayText(record.ServiceIdentities.map(({ ServiceName }) => storeText(ServiceName))),
  },
  json('node_identities', 'NodeIdentities'),
  text('rules', 'Rules'),
  text('type', 'Type'),
  {
    name: 'local',
    field: 'Local',
    sql: 'boolean',
    encode: ({ record }) => record.Local,
    decode: (stored) => stored === 't',
  },
  text('auth_method', 'AuthMethod'),
  maybeText('auth_method_namespace', 'AuthMethodNamespace'),
  {
    name: 'auth_method_generation',
    field: 'AuthMethodGeneration',
    sql: 'text',
    isNullable: true,
    encode: ({ record }) => (record.AuthMethodGeneration === 0 ? '' : `${record.AuthMethodGeneration}`),
    decode: Number,
  },
  maybeText('login_identity', 'LoginIdentity'),
  {
    name: 'expiration_time',
    field: 'ExpirationTime',
    sql: 'text',
    isNullable: true,
    encode: ({ record }) => record.ExpirationTime ?? null,
    decode: (stored) => stored || undefined,
  },
  {
    name: 'expires_at',
    sql: 'timestamptz',
    encode: ({ record }) => {
      const expiresAt = record.ExpirationTime === undefined ? undefined : parseInstant(record.ExpirationTime)
      return expiresAt === undefined ? null : new Date(expiresAt).toISOString()
    },
  },
  text('create_time', 'CreateTime'),
  text('hash', 'Hash'),
  {
    name: 'create_index',
    field: 'CreateIndex',
    sql: 'bigint',
    stamp: 'created',
    encode: ({ record }) => record.CreateIndex,
    decode: Number,
  },
  {
    name: 'modify_index',
    field: 'ModifyIndex',
    sql: 'bigint',
    stamp: 'modified',
    encode: () => 0,
    decode: Number,
  },
  {
    name: 'folded_hash',
    sql: 'bytea',
    isKept: true,
    encode: ({ ofIds }) => ofIds?.foldedHash && `\\x${ofIds.foldedHash}`,
  },
] as const satisfies readonly TokenColumn[]

export const TOKEN_COLUMNS: readonly TokenColumn[] = TABLE

/** The columns that a commit sends: all except its index. */
export const SENT_TOKEN_COLUMNS: readonly Column<TokenSource>[] = TOKEN_COLUMNS.filter(
  ({ name }) => name !== 'modify_index',
)

const READ_COLUMNS = TOKEN_COLUMNS.filter(({ field, isOfSecret }) => field !== undefined || isOfSecret)

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

const place = (name: (typeof TABLE)[number]['name']) =>
  READ_COLUMNS.findIndex((column) => column.name === name)
const SECRET_HASH = place('secret_hash')
const SECRET_CIPHER = place('secret_cipher')
const SECRET_KEY_ID = place('secret_key_id')
const ACCESSOR_ID = place('accessor_id')
const CREATE_INDEX = place('create_index')
const MODIFY_INDEX = place('modify_index')

export interface TokenRow {
  readonly secretHash: string
  readonly accessorId: string
  readonly createIndex: number
  readonly modifyIndex: number
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

type ColumnField = Extract<(typeof TABLE)[number], { readonly field: string }>['field']

/** Resolves to a type that no record satisfies if a field has no column. */
type WithColumns = {
  readonly [F in keyof TokenRecord]-?: F extends ColumnField | 'SecretID' ? unknown : never
}

const FIELD_ORDER = Object.keys(BLANK_TOKEN satisfies WithColumns)

const FIELDS = FIELD_ORDER.map((field) => {
  const at = READ_COLUMNS.findIndex((column) => column.field === field)
  return { field: field as keyof TokenRecord, at, decode: READ_COLUMNS[at]?.decode }
})

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
  return ifOpens(() => tokenOfRow(row, secrets)) ?? tokenOfRow(row, { open: () => '' })
}

function openSecret(secretHash: string, fields: readonly string[], secrets: Pick<SecretBox, 'open'>): string {
  const sealed = { keyId: fields[SECRET_KEY_ID] ?? '', bytes: readBytes(fields[SECRET_CIPHER] ?? '') }
  return secrets.open(sealed, secretHash)
}

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
