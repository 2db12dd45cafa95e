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

/** @returns one array per column, for rows with their values in the order of the columns. */
export function columnArrays(
  columns: readonly Pick<Column<never>, 'sent'>[],
  rows: readonly (readonly unknown[])[],
): readonly (readonly unknown[])[] {
  return columns.map(({ sent }, i) => {
    const values = rows.map((row) => row[i] ?? null)
    return sent === 'shared' && values.every((one) => one === values[0]) ? values.slice(0, 1) : values
  })
}

/** As PostgreSQL reads a `text[]`. An array of arrays would be read as one with two dimensions, so these go as text. */
export function textArray(texts: readonly string[]): string {
  if (texts.length === 0) return '{}'
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}
