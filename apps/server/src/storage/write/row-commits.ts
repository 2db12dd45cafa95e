import type { ConflictReason } from '@latchkey/service'
import type pg from 'pg'
import { COMMIT_ROWS_FUNCTION } from '../../database/commit-rows-function.ts'
import { withAclErrors } from '../../database/database-error.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Closing } from '../members/leases/lease.ts'
import { arrayText } from './columns.ts'
import { KV_PARAMETERS, type Parameter, TOKEN_PARAMETERS } from './row-changes.ts'
import type { EncodedWrite, GroupAnswer } from './writes.ts'

type WriteRows = EncodedWrite['rows']

interface Answer {
  readonly before: number
  readonly reasons: readonly (ConflictReason | null)[] | null
  readonly is_behind: boolean
}

/**
 * Parameters before the columns: author, its heartbeat, the closing that it waited for, highest index seen, count of
 * writes, and how many of them share no id.
 */
const OTHERS = 6
const COLUMNS = TOKEN_PARAMETERS.length + KV_PARAMETERS.length + 2

const COMMIT_ROWS = `SELECT ${COMMIT_ROWS_FUNCTION}(${Array.from(
  { length: OTHERS + COLUMNS },
  (_, i) => `$${i + 1}`,
).join(', ')}) AS answer`

interface AnswerRow {
  /** Null if the author is fenced. */
  readonly answer: Answer | Closing | null
}

type RunStatement = (values: readonly unknown[]) => Promise<readonly AnswerRow[]>

/** On a connection of the pool, where it is prepared once. */
export function onPool(pool: pg.Pool): RunStatement {
  return async (values) => {
    const statement = { name: 'commit-rows', text: COMMIT_ROWS, values: [...values] }
    return (await pool.query<AnswerRow>(statement)).rows
  }
}

export function inTransaction(transaction: Prisma.TransactionClient): RunStatement {
  return (values) => transaction.$queryRawUnsafe<AnswerRow[]>(COMMIT_ROWS, ...values)
}

/** The committing member, and the highest index that it has seen. */
export interface Author {
  readonly memberId: string
  /** The author holds no lease that was granted to a heartbeat up to this one; -1 if it may hold one. */
  readonly beat: number
  /** The id of a closing whose leases have all ended. */
  readonly waited: string | undefined
  readonly known: number
}

/** Commits tokens and keys in one statement. @returns undefined if fenced, or the leases that must end first. */
export async function commitRows(
  run: RunStatement,
  writes: readonly WriteRows[],
  apart: number,
  { memberId, beat, waited, known }: Author,
): Promise<GroupAnswer | Closing | undefined> {
  /** The numbers of the writes from 1 on, then the columns. */
  const textsOf = (table: 'tokens' | 'kv', parameters: readonly Parameter[]) => {
    const ofTable = writes.map((rows) => rows.filter(({ change }) => change.table === table))
    const values = ofTable.flatMap((rows) => rows.map(({ change }) => change.values))
    return [
      arrayText(ofTable.flatMap((rows, i) => rows.map(() => i + 1))),
      ...parameters.map((_, i) => arrayText(values.map((row) => row[i]))),
    ]
  }
  const values = [
    memberId,
    beat,
    waited ?? null,
    known,
    writes.length,
    apart,
    ...textsOf('tokens', TOKEN_PARAMETERS),
    ...textsOf('kv', KV_PARAMETERS),
  ]
  const [row] = await withAclErrors(() => run(values))
  if (!row?.answer) return undefined
  if ('epoch' in row.answer) return row.answer
  const { before, reasons, is_behind } = row.answer
  let index = before
  const results = writes.map((_, i) => {
    const reason = reasons?.[i]
    if (reason) return reason
    index += 1
    return index
  })
  return { before, results, isBehind: is_behind }
}
