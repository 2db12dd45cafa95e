/** Checks what clients saw of locks: no two sessions hold a key at once, and no session loses it without cause. */

/** A session that certainly held a key for a while. Instants in milliseconds of a clock that never steps. */
export interface Hold {
  readonly key: string
  readonly session: string
  /** LockIndex of the key. */
  readonly index: number
  /** When the answer arrived that it holds the key. */
  readonly heldAt: number
  /** When the request that ends it was sent; infinite if there was none. */
  readonly freedAt: number
  /** Whether the key still showed the session just before it was freed. */
  readonly isKept: boolean
}

/** @returns a sentence for each rule that the holds of some keys violate. */
export function checkLocks(holds: readonly Hold[]): readonly string[] {
  const problems = holds.flatMap(({ key, session, isKept }) => (isKept ? [] : `${session} lost ${key}`))
  for (const ofKey of Map.groupBy(holds, ({ key }) => key).values()) {
    const inOrder = ofKey.toSorted((a, b) => a.heldAt - b.heldAt)
    for (const [i, hold] of inOrder.entries()) {
      const before = inOrder[i - 1]
      if (before && before.freedAt > hold.heldAt) {
        problems.push(`${before.session} and ${hold.session} held ${hold.key} at once`)
      }
      if (before && before.index >= hold.index) {
        problems.push(`LockIndex of ${hold.key} went from ${before.index} to ${hold.index}`)
      }
    }
  }
  return problems
}
