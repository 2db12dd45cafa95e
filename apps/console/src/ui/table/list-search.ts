/** The search of a list in the URL: the search words, and whether the dialog that creates a record is open. */
export interface ListSearch {
  readonly q?: string
  readonly create?: true
}

export function readListSearch({ q, create }: Readonly<Record<string, unknown>>): ListSearch {
  const isText = typeof q === 'string' || typeof q === 'number'
  return { ...(isText && q !== '' ? { q: String(q) } : {}), ...(create === true ? { create } : {}) }
}

/** The records with a text that contains all words. */
export function searchRecords<T>(
  records: readonly T[],
  q: string | undefined,
  textsOf: (record: T) => readonly string[],
): readonly T[] {
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return records
  return records.filter((record) => {
    const text = textsOf(record).join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
