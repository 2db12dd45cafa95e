/** A column of a table of records, or a line of the table of one record. */
export interface Column<T> {
  readonly title: string
  /** Empty: the line of a single record is left out. */
  readonly text: (record: T) => string
}
