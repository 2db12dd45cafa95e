/** Finds, among many names, the longest prefix of a text, or a name that begins with the text. */
export class PrefixIndex<T extends { readonly segment: string }> {
  /** In ascending UTF-16 order. Names are well-formed, so prefixes are the same as for bytes. */
  private readonly entries: readonly T[]
  /** For each entry, the index of the longest other entry that is a prefix of it, or -1. */
  private readonly parents: number[] = []

  /** @param entries with distinct segments, in any order. */
  constructor(entries: readonly T[]) {
    this.entries = entries.toSorted((a, b) => (a.segment < b.segment ? -1 : 1))
    for (const [index, { segment }] of this.entries.entries()) {
      // A prefix of an entry sorts before it: it is the previous entry, or an ancestor of the previous entry.
      this.parents.push(this.prefixFrom(index - 1, segment))
    }
  }

  /** Takes O(length of the text × nesting of entries + log of the number of entries). */
  longestPrefixOf(text: string): T | undefined {
    return this.entries[
      this.prefixFrom(countBefore(this.entries, ({ segment }) => segment <= text) - 1, text)
    ]
  }

  /** The first entry that begins with the text. */
  firstStartingWith(text: string): T | undefined {
    const entry = this.entries[countBefore(this.entries, ({ segment }) => segment < text)]
    return entry?.segment.startsWith(text) === true ? entry : undefined
  }

  /** The first of an entry and its ancestors that is a prefix of the text, or -1. */
  private prefixFrom(start: number, text: string): number {
    let index = start
    while (index !== -1 && !text.startsWith(this.entries[index]?.segment ?? ''))
      index = this.parents[index] ?? -1
    return index
  }
}

/** How many elements fulfill a condition that holds up to some element, and for none after it. */
export function countBefore<T>(list: readonly T[], holds: (element: T) => boolean): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(list[middle] as T)) low = middle + 1
    else high = middle
  }
  return low
}
