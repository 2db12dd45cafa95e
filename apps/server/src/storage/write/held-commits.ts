import type { SessionRecord } from '@latchkey/catalog'
import type { ConflictReason } from '@latchkey/service'
import type { Database } from '../../database/connect.ts'
import { withAclErrors } from '../../database/database-error.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import {
  findIndexes,
  type NewRow,
  partsOf,
  primaryKeyOf,
  removeRows,
  replaceRows,
  type Transaction,
  writeLog,
} from '../held-tables.ts'
import type { Closing } from '../members/leases/lease.ts'
import { commitTogether, isOfCatalogAlone } from './catalog/commit-together.ts'
import {
  areExpired,
  derivedEnds,
  endSessions,
  endsSession,
  judgeCatalog,
  mayEndSessions,
} from './catalog/stored-catalog.ts'
import { findConflict, holds, holdsRecords, type StoredRows } from './held-conflicts.ts'
import { type Author, commitRows, inTransaction } from './row-commits.ts'
import {
  type EncodedWrite,
  type GroupAnswer,
  type HeldChange,
  type PlacedRow,
  STATEMENT_ROWS_MAX,
} from './writes.ts'

/** Time limit added to a transaction for each row. On an idle machine, a row takes a tenth of it. */
const ROW_MS_MAX = 1
/**
 * Time limit added for each changed record of the directory or the catalog, which takes several statements: thirty
 * times what it takes on an idle machine. Only the first records are counted, because the others share their
 * statements.
 */
const RECORD_MS_MAX = 250
const TIMED_RECORDS_MAX = 16
/** However many keys the ended sessions hold: a commit with too little time would never end them. */
const ENDS_MS_MAX = 60_000

/**
 * Commits writes that take several statements, in one transaction that holds the lock of the commit index.
 * @returns undefined if the author is fenced, or the leases that must end first: nothing was committed.
 */
export function commitInTransaction(
  { prisma, limits }: Database,
  secrets: SecretBox,
  writes: readonly EncodedWrite[],
  author: Author,
): Promise<GroupAnswer | Closing | undefined> {
  const { idleWhileLockingMs, statementMs } = limits
  const rowCount = writes.reduce((count, { changes }) => count + changes.length, 0)
  const records = writes.reduce((count, { directory }) => count + directory.length, 0)
  const isEnding = writes.some(({ directory }) => directory.some(({ change }) => mayEndSessions(change)))
  const timeout =
    statementMs +
    rowCount * ROW_MS_MAX +
    Math.min(records, TIMED_RECORDS_MAX) * RECORD_MS_MAX +
    (isEnding ? ENDS_MS_MAX : 0)
  return withAclErrors(() =>
    prisma.$transaction((tx) => commitAll(tx, secrets, writes, { ...author, idleWhileLockingMs }), {
      timeout,
    }),
  )
}

async function commitAll(
  tx: Transaction,
  secrets: SecretBox,
  writes: readonly EncodedWrite[],
  { idleWhileLockingMs, ...author }: Author & { readonly idleWhileLockingMs: number },
): Promise<GroupAnswer | Closing | undefined> {
  // Every write takes this lock first. Prisma's typed client cannot lock rows.
  const [locked] = await tx.$queryRaw<{ index: bigint }[]>`SELECT index,
    set_config('idle_in_transaction_session_timeout', ${`${idleWhileLockingMs}`}, true) FROM commit_index FOR UPDATE`
  const { memberId, beat, waited, known } = author
  const [may] = await tx.$queryRaw<{ closing: Closing | null }[]>`
    SELECT latchkey_close_leases(id, ${beat}::bigint, ${waited ?? null}::text) AS closing
    FROM member WHERE id = ${memberId} AND NOT is_fenced AND left_at IS NULL`
  if (!locked || !may) return undefined
  if (may.closing) return may.closing
  const { index } = locked
  const isBehind = Number(index) < known
  const before = isBehind ? known + 1 : Number(index)
  if (isBehind) {
    // Every process that has seen a lost commit must reload everything, whatever it has applied.
    await tx.commitIndex.updateMany({ data: { index: BigInt(before), pruned: BigInt(before) } })
  }
  const results: (number | ConflictReason)[] = []
  let reached = before
  let isMore = false
  while (results.length < writes.length) {
    const left = writes.slice(results.length)
    const other = left.findIndex((write) => !isOfCatalogAlone(write))
    const together = other === -1 ? left : left.slice(0, other)
    if (together.length > 0) {
      const made = await commitTogether(tx, secrets, together, reached)
      reached = made.reduce<number>((last, result) => (typeof result === 'number' ? result : last), reached)
      results.push(...made)
      if (made.length === together.length) continue
    }
    const write = writes[results.length]
    if (!write) break
    const result = await commitWrite(tx, secrets, write, { ...author, known: reached })
    if (typeof result !== 'string') {
      reached = result.index
      isMore ||= result.freedKeys > 0
    }
    results.push(typeof result === 'string' ? result : result.index)
  }
  await tx.$queryRaw`SELECT pg_notify('latchkey', ${`${reached}`})::text`
  return { before, results, isBehind, isMore }
}

/** @returns the index of the write, and how many keys of sessions it changed; or why it cannot be committed. */
async function commitWrite(
  tx: Transaction,
  secrets: SecretBox,
  write: EncodedWrite,
  author: Author,
): Promise<{ readonly index: number; readonly freedKeys: number } | ConflictReason> {
  const { known } = author
  const before = Math.max(known, write.above ?? 0)
  await tx.$executeRaw`SAVEPOINT before_write`
  const made = (await holds(tx, write.expects ?? []))
    ? await makeChanges(tx, secrets, write, { ...author, known: before })
    : 'changed'
  if (typeof made === 'string') {
    await tx.$executeRaw`ROLLBACK TO SAVEPOINT before_write`
    return made
  }
  const index = BigInt(before + 1)
  const directory = [
    ...write.directory,
    ...made.further.map((change, i) => ({ ordinal: write.nextOrdinal + i, change })),
  ]
  const log = directory.map(({ ordinal, change }) => {
    return { index, ordinal, entity: change.table, op: change.op, key: primaryKeyOf(change) }
  })
  await writeLog(tx, log, before + 1)
  const ordinal = write.nextOrdinal + made.further.length
  return { index: before + 1, freedKeys: await endSessions(tx, made.ended, { index, ordinal }) }
}

interface Made {
  readonly further: readonly HeldChange[]
  readonly ended: readonly SessionRecord[]
}

/**
 * In the order in which they take effect: a later change may reuse what an earlier one deleted or renamed.
 * @returns the changes that follow from them, or why they cannot be made. Some may have been made by then.
 */
async function makeChanges(
  tx: Transaction,
  secrets: SecretBox,
  { rows: ofRows, directory }: EncodedWrite,
  author: Author,
): Promise<ConflictReason | Made> {
  const isFirst = ({ change }: PlacedRow) => change.table === 'tokens' && change.op === 'delete'
  const rowReason = await makeRows(tx, ofRows.filter(isFirst), author)
  if (rowReason) return rowReason
  // If a record is changed twice, the last change wins.
  const changes = [
    ...new Map(directory.map(({ change }) => [`${change.table}/${primaryKeyOf(change)}`, change])).values(),
  ]
  const stored = await findStored(tx, changes)
  const reason = await findConflict(tx, changes, stored)
  if (reason) return reason
  const judged = await judgeCatalog(tx, changes)
  if (judged === 'changed' || !(await areExpired(tx, changes))) return 'changed'
  const { moved, ended } = judged
  const ends = (change: HeldChange) => change.table === 'namespaces' && change.op === 'delete'
  const replaced = changes.filter((change) => !ends(change) && !endsSession(change))
  const index = author.known + 1
  const rows = [...rowsOf(replaced, stored, index), ...rowsOf(moved, await findStored(tx, moved), index)]
  await replaceRows(tx, secrets, rows)
  // A tree must be deleted before keys replace it: one statement would see both at once.
  const isTree = ({ change }: PlacedRow) => change.op === 'delete-tree'
  const others = ofRows.filter((row) => !isFirst(row))
  for (const part of [others.filter(isTree), others.filter((row) => !isTree(row))]) {
    const laterReason = await makeRows(tx, part, author)
    if (laterReason) return laterReason
  }
  const namespaces = changes.filter(ends).map(primaryKeyOf)
  for (const namespace of namespaces) if (await holdsRecords(tx, namespace)) return 'changed'
  await removeRows(tx, 'namespaces', namespaces)
  return { further: [...moved, ...derivedEnds(ended, changes)], ended }
}

async function makeRows(
  tx: Transaction,
  rows: readonly PlacedRow[],
  author: Author,
): Promise<ConflictReason | undefined> {
  for (const part of partsOf(rows, STATEMENT_ROWS_MAX)) {
    // The statement commits with the index after the table's, which an earlier statement may have advanced.
    await tx.commitIndex.updateMany({ data: { index: BigInt(author.known) } })
    const made = await commitRows(inTransaction(tx), [part], 1, author)
    const [result] = made && 'results' in made ? made.results : []
    if (typeof result === 'string') return result
  }
  return undefined
}

async function findStored(tx: Transaction, changes: readonly HeldChange[]): Promise<StoredRows> {
  const stored: StoredRows = new Map()
  for (const [table, ofTable] of Map.groupBy(changes, (change) => change.table)) {
    stored.set(table, await findIndexes(tx, table, ofTable.map(primaryKeyOf)))
  }
  return stored
}

function rowsOf(changes: readonly HeldChange[], stored: StoredRows, index: number): readonly NewRow[] {
  return changes.map((change) => {
    const { table, op, record } = change
    const key = primaryKeyOf(change)
    const existing = stored.get(table)?.get(key)
    return {
      table,
      key,
      wasStored: existing !== undefined,
      record: op === 'put' ? record : undefined,
      // A new record may have its own CreateIndex; an existing one keeps the stored one.
      createIndex: existing?.createIndex ?? BigInt(record.CreateIndex || index),
      modifyIndex: BigInt(index),
    }
  })
}
