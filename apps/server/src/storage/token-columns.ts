/** Changes of tokens as arrays, one per column: the form that PostgreSQL reads fastest. */
import type { EncodedChange } from './encode-change.ts'

type Row = Readonly<Record<string, unknown>>
type ValueOf = (change: Row, row: Row) => unknown
type Column = (tokens: readonly EncodedChange[]) => readonly unknown[]

/** Elements of the parameters of `latchkey_commit_at_once`, in their order, from `ops` on. A delete has only the keys. */
const COLUMNS: readonly Column[] = [
  shared(({ op }) => op),
  shared(({ expect }) => expect),
  each(({ accessor_as_secret }) => accessor_as_secret),
  each(({ secret_as_accessor }) => secret_as_accessor),
  each((_, { secret_hash }) => secret_hash),
  each((_, { secret_cipher }) => secret_cipher),
  shared((_, { secret_key_id }) => secret_key_id),
  each((_, { accessor_id }) => accessor_id),
  each((_, { accessor_key }) => accessor_key),
  each((_, { accessor_hash }) => accessor_hash),
  shared((_, { namespace }) => namespace),
  shared((_, { description }) => description),
  shared((_, { policies }) => textArray(policies)),
  shared((_, { roles }) => textArray(roles)),
  shared(({ service_identities }) => service_identities),
  shared((_, { service_names }) => textArray(service_names)),
  shared(({ node_identities }) => node_identities),
  shared((_, { rules }) => rules),
  shared((_, { type }) => type),
  shared((_, { local }) => local),
  shared((_, { auth_method }) => auth_method),
  each((_, { expiration_time }) => expiration_time),
  each((_, { expires_at }) => expires_at),
  shared((_, { create_time }) => create_time),
  shared((_, { hash }) => hash),
  shared((_, { create_index }) => create_index),
]

function each(value: ValueOf): Column {
  return (tokens) => tokens.map(({ change }) => value(change, change.row as Row))
}

/** One element for all where it would be the same. Not for what may be null: a missing element is read as the first. */
function shared(value: ValueOf): Column {
  const all = each(value)
  return (tokens) => {
    const values = all(tokens)
    return values.every((one) => one === values[0]) ? values.slice(0, 1) : values
  }
}

/** `$1` and so on, for the columns after so many other parameters. */
export function columnParameters(others: number): string {
  return COLUMNS.map((_, i) => `$${others + i + 1}`).join(', ')
}

export function tokenColumns(tokens: readonly EncodedChange[]): readonly (readonly unknown[])[] {
  return COLUMNS.map((column) => column(tokens))
}

/** As PostgreSQL reads a `text[]`: arrays of arrays it takes for one with two dimensions, so these go as text. */
function textArray(texts: unknown): string | undefined {
  if (!Array.isArray(texts)) return undefined
  if (texts.length === 0) return '{}'
  return `{${texts.map((text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}
