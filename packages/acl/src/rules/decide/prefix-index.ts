/** @param entries with distinct segments, in any order. */
export function prefixIndexOf<T extends { readonly segment: string }>(entries: readonly T[]): PrefixIndex<T> {
  const sorted = entries.toSorted(bySegment)
  const parents = new Int32Array(sorted.length)
  let last = -1
  for (const [index, entry] of sorted.entries()) {
    // A prefix of an entry sorts before it: it is the previous entry, or an ancestor of the previous entry.
    let parent = last
    while (parent !== -1 && !entry.segment.startsWith(sorted[parent]?.segment ?? ''))
      parent = parents[parent] ?? -1
    parents[index] = parent
    last = index
  }
  return new PrefixIndex(sorted, parents)
}

/** Finds, among many names, the longest prefix of a text, or a name that begins with the text. */
export class PrefixIndex<T extends { readonly segment: string }> {
  /** In ascending UTF-16 order. Names are well-formed, so prefixes are the same as for bytes. */
  private readonly entries: readonly T[]
  /** For each entry, the index of the longest other entry that is a prefix of it, or -1. */
  private readonly parents: Int32Array

  /** Called by {@link prefixIndexOf}. */
  constructor(entries: readonly T[], parents: Int32Array) {
    this.entries = entries
    this.parents = parents
  }

  /** Takes O(length of the text + log of the number of entries + nesting of entries). */
  longestPrefixOf(text: string): T | undefined {
    let index = this.countBefore(text, { orAt: true }) - 1
    if (index === -1) return undefined
    const common = commonLength(this.segment(index), text)
    // Every ancestor is a prefix of the entry; an ancestor no longer than the common part is also a prefix of the text.
    while (index !== -1 && this.segment(index).length > common) index = this.parent(index)
    return this.entries[index]
  }

  /** The first entry that begins with the text. */
  firstStartingWith(text: string): T | undefined {
    const entry = this.entries[this.countBefore(text, { orAt: false })]
    return entry?.segment.startsWith(text) === true ? entry : undefined
  }

  private segment(index: number): string {
    return this.entries[index]?.segment ?? ''
  }

  private parent(index: number): number {
    return this.parents[index] ?? -1
  }

  /** The number of entries that sort before the text; with `orAt`, also at it. */
  private countBefore(text: string, { orAt }: { readonly orAt: boolean }): number {
    let low = 0
    let high = this.entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const segment = this.segment(middle)
      if (segment < text || (orAt && segment === text)) low = middle + 1
      else high = middle
    }
    return low
  }
}

function bySegment(a: { readonly segment: string }, b: { readonly segment: string }): number {
  return a.segment < b.segment ? -1 : a.segment > b.segment ? 1 : 0
}

function commonLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  let length = 0
  while (length < end && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return length
}
