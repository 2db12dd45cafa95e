import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Change, CommitOptions, ConflictReason } from '@latchkey/service'
import type { SecretBox } from '../../secrets/secret-box.ts'
import type { TokenCache } from '../read/caches.ts'
import { type EncodedRow, encodeRow, ORDINALS_PER_TREE, type RowChange } from './row-changes.ts'

/** Changes of the tables that every process keeps in memory: the directory and the catalog. */
export type HeldChange = Exclude<Change, RowChange>

/** A change with its place in its write and in the log. */
interface Placed<T> {
  readonly place: number
  readonly ordinal: number
  readonly change: T
}

export type PlacedRow = Placed<EncodedRow & Pick<RowChange, 'table' | 'op'>>

/** An encoded write, committed completely or not at all. */
export interface EncodedWrite {
  readonly changes: readonly Change[]
  readonly rows: readonly PlacedRow[]
  readonly directory: readonly Placed<HeldChange>[]
  /** Higher than the ordinals of its changes. */
  readonly nextOrdinal: number
  /** Characters of all its texts. */
  readonly chars: number
  /** Its index must be higher than this. */
  readonly above?: number | undefined
  readonly expects?: CommitOptions['expects']
}

/** The outcome of a group: the index before its first write, and per write its index or its conflict. */
export interface GroupAnswer {
  readonly before: number
  readonly results: readonly (number | ConflictReason)[]
  /** Whether the database had lost commits that this process has seen. */
  readonly isBehind: boolean
  /** Whether keys besides those of the writes were changed, because sessions that locked them ended. */
  readonly isMore?: boolean
}

/** Rows that one statement commits: a longer statement could exceed its time limit on a busy machine. */
export const STATEMENT_ROWS_MAX = 1_000
/** Changes encoded in one turn of the event loop. */
export const TURN_CHANGES_MAX = 500

type SecretHashes = Pick<TokenCache, 'secretHashOf'>

/** @param cache see {@link encodeRow}. */
export function encodeWrite(
  changes: readonly Change[],
  secrets: SecretBox,
  cache?: SecretHashes,
): EncodedWrite {
  const encoder = writeEncoder(changes, secrets, cache)
  for (const change of changes) encoder.add(change)
  return encoder.write()
}

/** As {@link encodeWrite}, with a limited number of changes in each turn of the event loop. */
export async function encodeInTurns(
  changes: readonly Change[],
  secrets: SecretBox,
  cache: SecretHashes,
): Promise<EncodedWrite> {
  const encoder = writeEncoder(changes, secrets, cache)
  for (const [i, change] of changes.entries()) {
    if (i > 0 && i % TURN_CHANGES_MAX === 0) await nextTurn()
    encoder.add(change)
  }
  return encoder.write()
}

function writeEncoder(changes: readonly Change[], secrets: SecretBox, cache: SecretHashes | undefined) {
  const rows: PlacedRow[] = []
  const directory: Placed<HeldChange>[] = []
  let place = 0
  let chars = 0
  let nextOrdinal = 0
  return {
    add(change: Change) {
      const at = { place, ordinal: nextOrdinal }
      place += 1
      nextOrdinal += change.op === 'delete-tree' ? ORDINALS_PER_TREE : 1
      if (change.table === 'tokens' || change.table === 'kv') {
        const row = encodeRow(change, at.ordinal, secrets, cache)
        chars += charsOf(row.values)
        rows.push({ ...at, change: { ...row, table: change.table, op: change.op } })
      } else {
        chars += charsOf(change.record)
        directory.push({ ...at, change })
      }
    },
    write: (): EncodedWrite => ({ changes, rows, directory, nextOrdinal, chars }),
  }
}

function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let chars = 0
  for (const part of Array.isArray(value) ? value : Object.values(value)) chars += charsOf(part)
  return chars
}
