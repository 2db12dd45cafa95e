/** Ends sessions in the database, within the commit that causes it. Later writes of the same group see the result. */
import { CRITICAL, type SessionRecord } from '@latchkey/catalog'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { Transaction } from '../../held-tables.ts'
import { type HeldChange, STATEMENT_ROWS_MAX } from '../writes.ts'

export function endsSession(change: HeldChange): boolean {
  return change.table === 'sessions' && change.op === 'delete'
}

/** Whether a change may end sessions, which may hold any number of keys. */
export function mayEndSessions(change: HeldChange): boolean {
  const { table, op } = change
  if (table === 'checks') return op === 'delete' || change.record.Status === CRITICAL
  return op === 'delete' && (table === 'sessions' || table === 'nodes')
}

/** Changes for the sessions that end in addition to those that a commit deletes. */
export function derivedEnds(
  ended: readonly SessionRecord[],
  changes: readonly HeldChange[],
): readonly HeldChange[] {
  const deleted = new Set(
    changes.flatMap((change) =>
      change.table === 'sessions' && change.op === 'delete' ? change.record.ID : [],
    ),
  )
  return ended.flatMap((record) =>
    deleted.has(record.ID) ? [] : { table: 'sessions', op: 'delete', record, expect: undefined },
  )
}

/**
 * Whether all sessions that a commit ends as expired have really expired. Locks them: a renewal waits, and then finds
 * them gone.
 */
export async function areExpired(tx: Transaction, changes: readonly HeldChange[]): Promise<boolean> {
  const ids = changes.flatMap((change) => ('ifExpired' in change ? change.record.ID : []))
  if (ids.length === 0) return true
  const expired = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM session
    WHERE id = ANY (${ids}) AND ${IS_EXPIRED} ORDER BY id FOR UPDATE`
  return expired.length === ids.length
}

/** For a row of `session`, by the database's clock. */
export const IS_EXPIRED = Prisma.sql`renewed_at + lifetime_ms * interval '1 millisecond' <= clock_timestamp()`

/**
 * Releases or deletes the keys of sessions, starts their lock delays, and removes them, in batches of keys.
 *
 * @param options.ordinal of the first change of a key in the log.
 * @returns how many keys they held.
 */
export async function endSessions(
  tx: Transaction,
  ended: readonly SessionRecord[],
  { index, ordinal }: { readonly index: bigint; readonly ordinal: number },
): Promise<number> {
  if (ended.length === 0) return 0
  const ids = ended.map(({ ID }) => ID)
  let freed = 0
  for (let count = STATEMENT_ROWS_MAX; count === STATEMENT_ROWS_MAX; freed += count) {
    const [row] = await tx.$queryRaw<{ count: number }[]>`SELECT latchkey_end_sessions(
      ${ids}, ${index}::bigint, ${ordinal + freed}::integer, ${STATEMENT_ROWS_MAX}::integer) AS count`
    count = row?.count ?? 0
  }
  return freed
}
