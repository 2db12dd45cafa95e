/** Rows as arrays, one per column: the form that PostgreSQL reads fastest. */

/** A type of PostgreSQL, as a migration says it. */
export type SqlType = 'bigint' | 'boolean' | 'bytea' | 'integer' | 'json' | 'text' | 'text[]' | 'timestamptz'

/** One column of what is sent for a change; `S` is what its value is made from. */
export interface Column<S> {
  readonly name: string
  readonly sql: SqlType
  /**
   * `shared`: one element for all rows where it would be the same. Only for what is never null in a row that is put: a
   * missing element is read as the first one.
   */
  readonly sent: 'each' | 'shared'
  /** As text that PostgreSQL reads as {@link sql}, or null. */
  readonly encode: (source: S) => unknown
}

/** @returns one array per column, of rows that have their values in the order of the columns. */
export function columnArrays(
  columns: readonly Pick<Column<never>, 'sent'>[],
  rows: readonly (readonly unknown[])[],
): readonly (readonly unknown[])[] {
  return columns.map(({ sent }, i) => {
    const values = rows.map((row) => row[i] ?? null)
    return sent === 'shared' && values.every((one) => one === values[0]) ? values.slice(0, 1) : values
  })
}

/** As PostgreSQL reads a `text[]`: arrays of arrays it takes for one with two dimensions, so these go as text. */
export function textArray(texts: readonly string[]): string {
  if (texts.length === 0) return '{}'
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}
