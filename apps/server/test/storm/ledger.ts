/**
 * What writers were told, kept outside of the process that is killed. Each token has one writer, which sends one write
 * at a time, so it is at any moment as it was last acknowledged, or as the write in flight makes it: all or nothing.
 */

/** A token as the list shows it; `undefined`: absent. */
type State = string | undefined

interface Entry {
  readonly secretId: string
  /** The last acknowledged state, and the one that a write without an answer would have made. */
  possible: readonly State[]
}

/** A token as a server lists it. */
export interface Listed {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
}

/** What acknowledged writes came to. */
export interface Verdict {
  /** Acknowledged, and not there. */
  readonly lost: readonly string[]
  /** Other than any write made them. */
  readonly altered: readonly string[]
  /** There, although no writer made or kept it. */
  readonly surplus: readonly string[]
}

export class Ledger {
  private readonly entries = new Map<string, Entry>()
  /** Writes whose success was told. */
  acknowledged = 0
  /** Highest index that an answer told. */
  index = 0

  /** Before a write is sent. */
  begin(accessorId: string, secretId: string, next: State): void {
    const entry = this.entries.get(accessorId) ?? { secretId, possible: [undefined] }
    entry.possible = [...entry.possible, next]
    this.entries.set(accessorId, entry)
  }

  /** After its success was told, with the index that the answer carried. */
  acknowledge(accessorId: string, index: number): void {
    const entry = this.entries.get(accessorId)
    if (!entry) throw new TypeError(`no write of ${accessorId} began`)
    entry.possible = entry.possible.slice(-1)
    this.acknowledged += 1
    this.index = Math.max(this.index, index)
  }

  /**
   * Holds a list to the ledger; afterwards what is there is what is known. No write may be under way.
   *
   * @param listed all tokens of the server.
   * @param known accessors that were there before anybody wrote.
   */
  verify(listed: readonly Listed[], known: ReadonlySet<string>): Verdict {
    const lost: string[] = []
    const altered: string[] = []
    const surplus: string[] = []
    const seen = new Map<string, Listed>()
    for (const token of listed) {
      if (known.has(token.AccessorID)) continue
      if (seen.has(token.AccessorID) || !this.entries.has(token.AccessorID)) surplus.push(token.AccessorID)
      seen.set(token.AccessorID, token)
    }
    for (const [accessorId, entry] of this.entries) {
      const token = seen.get(accessorId)
      if (!entry.possible.includes(token?.Description)) {
        if (token === undefined) lost.push(accessorId)
        else if (entry.possible.every((state) => state === undefined)) surplus.push(accessorId)
        else altered.push(accessorId)
      } else if (token && token.SecretID !== entry.secretId) altered.push(accessorId)
      if (token) entry.possible = [token.Description]
      else this.entries.delete(accessorId)
    }
    return { lost, altered, surplus }
  }
}
