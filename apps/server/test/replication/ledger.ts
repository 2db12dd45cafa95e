/**
 * The acknowledgements of writers, kept outside the killed process. Each token has one writer, which sends one write at a
 * time, so its state is always the last acknowledged one, or that of the write in flight.
 */

/** A token as the list shows it; `undefined`: absent. */
type State = string | undefined

interface Entry {
  readonly secretId: string
  /** The last acknowledged state, and the state after a write without an answer. */
  possible: readonly State[]
}

/** A token as a server lists it. */
export interface Listed {
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
}

/** The result of the comparison. */
export interface Verdict {
  /** Acknowledged, but absent. */
  readonly lost: readonly string[]
  /** Different from the state after any write. */
  readonly altered: readonly string[]
  /** Present, although no writer created it, or its delete was acknowledged. */
  readonly surplus: readonly string[]
}

export class Ledger {
  private readonly entries = new Map<string, Entry>()
  /** Acknowledged writes. */
  acknowledged = 0

  /** Call before a write is sent. */
  begin(accessorId: string, secretId: string, next: State): void {
    const entry = this.entries.get(accessorId) ?? { secretId, possible: [undefined] }
    entry.possible = [...entry.possible, next]
    this.entries.set(accessorId, entry)
  }

  /** Call after its success was acknowledged. */
  acknowledge(accessorId: string): void {
    const entry = this.entries.get(accessorId)
    if (!entry) throw new TypeError(`no write of ${accessorId} began`)
    entry.possible = entry.possible.slice(-1)
    this.acknowledged += 1
  }

  /**
   * Compares a list with the ledger, then adopts the listed state. No write may be in flight.
   *
   * @param listed all tokens of the server.
   * @param known accessors that existed before the first write.
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
