/** Rows as arrays, one per column: the form that PostgreSQL reads fastest. */

/** A PostgreSQL type, spelled as in a migration. */
export type SqlType = 'bigint' | 'boolean' | 'bytea' | 'integer' | 'json' | 'text' | 'text[]' | 'timestamptz'

/** One column of an encoded change; `S` is what its value is made from. */
export interface Column<S> {
  readonly name: string
  readonly sql: SqlType
  /**
   * `shared`: a single element applies to all rows if they have the same value. Only for columns that are never null
   * in a stored row: a missing element is read as the first one.
   */
  readonly sent: 'each' | 'shared'
  /** Text that PostgreSQL reads as {@link sql}, or null. */
  readonly encode: (source: S) => unknown
}

/** @returns one array per column as text, for rows with their values in the order of the columns. */
export function columnArrays(
  columns: readonly Pick<Column<never>, 'sent'>[],
  rows: readonly (readonly unknown[])[],
): readonly string[] {
  return columns.map(({ sent }, i) => {
    const first = rows[0]?.[i]
    const isSame = rows.every((row) => row[i] === first)
    // A missing element is read as null, or as the first one where it is shared.
    if (isSame && (sent === 'shared' || isNull(first))) return arrayText(isNull(first) ? [] : [first])
    return arrayText(rows.map((row) => row[i]))
  })
}

/**
 * As PostgreSQL reads an array. Columns that are arrays themselves use it, too: PostgreSQL would read an array of
 * arrays as one with two dimensions, so these are sent as text.
 */
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
