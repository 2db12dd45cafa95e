/** A column in a table of records, or a line in the table of one record. */
export interface Column<T> {
  readonly title: string
  /** If it is empty, the line is omitted from the table of a single record. */
  readonly text: (record: T) => string
}
