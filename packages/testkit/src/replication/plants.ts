/** Bugs that a replicator could have. The model must detect each of them. */
import type { Changes } from '@latchkey/contract'
import type { Change } from '@latchkey/service'
import type { Garble } from './faulty-source.ts'

/** A bug, planted between the primary, the replicator and the store. */
export interface Plant {
  /** How the replicator misreads the answers. */
  readonly garble?: () => Garble
  /** How it commits, one commit after another. */
  readonly commit?: (changes: readonly Change[]) => readonly (readonly Change[])[]
}

const isCursor = (change: Change): boolean => change.table === 'system'

export const PLANTS: Readonly<Record<string, Plant>> = {
  'a deletion overtakes the creation': {
    garble: () => {
      let late: Changes['Tokens'] = []
      return (answer) => {
        const Tokens = late.filter(({ AccessorID }) =>
          answer.Tokens.every((token) => token.AccessorID !== AccessorID),
        )
        late = answer.Tokens
        return { ...answer, Tokens, Deleted: { ...answer.Deleted, Tokens: [] } }
      }
    },
  },
  'a deleted token lives on': {
    garble: () => (answer) => ({ ...answer, Deleted: { ...answer.Deleted, Tokens: [] } }),
  },
  'tokens come before what they link': {
    commit: (changes) => {
      const isToken = (change: Change) => change.table === 'tokens'
      return [
        changes.filter((change) => isToken(change) || isCursor(change)),
        changes.filter((change) => !isToken(change) && !isCursor(change)),
      ]
    },
  },
  'records and cursor are two commits': {
    commit: (changes) => [changes.filter((change) => !isCursor(change)), changes.filter(isCursor)],
  },
  'two processes replicate without a fence': {
    commit: (changes) => [
      changes.map((change) => (isCursor(change) ? { ...change, expect: undefined } : change) as Change),
    ],
  },
}
