import { setImmediate as nextTurn } from 'node:timers/promises'
import { idKey } from '@latchkey/acl'
import { type Change, type CommitOptions, type ConflictReason, kvTopic } from '@latchkey/service'
import type { SecretBox } from '../../secrets/secret-box.ts'
import type { TokenCache } from '../read/caches.ts'
import { type EncodedRow, encodeRow, ORDINALS_PER_TREE, type RowChange } from './row-changes.ts'

/** Changes of the tables that every process keeps in memory: the directory and the catalog. */
export type HeldChange = Exclude<Change, RowChange>

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
  readonly chars: number
  /** Its index must be higher than this. */
  readonly above?: number | undefined
  readonly expects?: CommitOptions['expects']
}

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

interface SplitGroup<W> {
  /** No two of them share an id or key, so their order does not matter. */
  readonly apart: readonly W[]
  readonly others: readonly W[]
}

/** Separates the writes that can be committed together. Most writes create tokens, and most ids are new. */
export function splitGroup<W extends { readonly changes: readonly Change[] }>(
  group: readonly W[],
): SplitGroup<W> {
  const apart: W[] = []
  const others: W[] = []
  const seen = new Set<string>()
  for (const write of group) {
    const ids = write.changes.flatMap(idsOf)
    const isTree = write.changes.some(({ op }) => op === 'delete-tree')
    if (!isTree && !ids.some((id) => seen.has(id))) apart.push(write)
    else others.push(write)
    for (const id of ids) seen.add(id)
  }
  return { apart, others }
}

/** The ids that a change claims or frees. The ids of a tree are known only to the database. */
function idsOf(change: Change): readonly string[] {
  if (change.op === 'delete-tree') return []
  if (change.table === 'kv') return [kvTopic(change.record.Namespace, change.record.Key)]
  if (change.table !== 'tokens') return []
  const { AccessorID, SecretID } = change.record
  return AccessorID === '' ? [idKey(SecretID)] : [idKey(SecretID), AccessorID.toLowerCase()]
}
