const NO_FIELDS = Object.freeze({})

/** Picks the named fields of a record. */
export function fieldsOf<T extends object>(record: T, names: ReadonlySet<string>): Partial<T> {
  if (names.size === 0) return NO_FIELDS
  const fields = Object.entries(record).filter(([name]) => names.has(name))
  return Object.fromEntries(fields) as Partial<T>
}
