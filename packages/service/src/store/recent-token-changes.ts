/** The tokens that the latest commits touched, so that cached lists can be patched instead of rebuilt. */

interface TokenChange {
  readonly index: number
  readonly accessorKey: string | undefined
}

/** Minimum number of changes to keep; a list further behind is rebuilt. */
const CHANGES_KEPT = 256

export class RecentTokenChanges {
  /** In the order of their indexes. */
  private changes: TokenChange[] = []
  /** Changes above this index are kept. */
  private floor = 0

  /** @param accessorKey in lower case; undefined for a token without one. */
  note(accessorKey: string | undefined, index: number): void {
    this.changes.push({ index, accessorKey })
    if (this.changes.length < 2 * CHANGES_KEPT) return
    const forgotten = this.changes.splice(0, CHANGES_KEPT)
    this.floor = forgotten.at(-1)?.index ?? this.floor
  }

  /** Drops all changes. @param index of the last change. */
  reset(index: number): void {
    this.changes = []
    this.floor = index
  }

  /** See `tokensChangedAfter` of the store. */
  after(index: number): readonly string[] | undefined {
    if (index < this.floor) return undefined
    const found = new Set<string>()
    for (let i = this.changes.length - 1; i >= 0; i -= 1) {
      const change = this.changes[i]
      if (!change || change.index <= index) break
      if (change.accessorKey === undefined) return undefined
      found.add(change.accessorKey)
    }
    return [...found]
  }
}
