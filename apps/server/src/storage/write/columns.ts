/** Rows as arrays, one per column: the form that PostgreSQL reads fastest. */

/** A PostgreSQL type, spelled as in a migration. */
export type SqlType = 'bigint' | 'boolean' | 'bytea' | 'integer' | 'json' | 'text' | 'text[]' | 'timestamptz'

/** One column of an encoded change; `S` is what its value is made from. */
export interface Column<S> {
  readonly name: string
  readonly sql: SqlType
  /** Text that PostgreSQL reads as {@link sql}, or null. */
  readonly encode: (source: S) => unknown
}

/** As PostgreSQL reads an array. Columns of arrays use it, too: an array of arrays would have two dimensions. */
export function arrayText(values: readonly unknown[]): string {
  let text = '{'
  for (const value of values) {
    if (text !== '{') text += ','
    if (isNull(value)) text += 'NULL'
    else if (typeof value === 'string') text += `"${escaped(value)}"`
    else text += String(value)
  }
  return `${text}}`
}

/** Tests before it replaces: most texts need no escaping, and then take half the time. */
function escaped(text: string): string {
  return text.includes('"') || text.includes('\\') ? text.replace(/["\\]/g, '\\$&') : text
}

function isNull(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
