/** The search of a list in the URL: the search words, and whether the dialog that creates a record is open. */
export interface ListSearch {
  readonly q?: string
  readonly create?: true
}

export function readListSearch(search: UrlSearch): ListSearch {
  return readSearch(search, ['q'])
}

export type UrlSearch = Readonly<Record<string, unknown>>

/** Reads some texts of a URL, and `create`; drops the rest. A text that was typed may look like a number. */
export function readSearch<const Name extends string>(
  search: UrlSearch,
  texts: readonly Name[],
): { readonly [K in Name]?: string } & { readonly create?: true } {
  const isText = (value: unknown) => value !== '' && ['string', 'number', 'boolean'].includes(typeof value)
  const found = texts.filter((name) => isText(search[name])).map((name) => [name, String(search[name])])
  return { ...Object.fromEntries(found), ...(search.create === true ? { create: true } : {}) }
}

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
