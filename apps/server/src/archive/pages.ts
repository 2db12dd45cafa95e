import type pg from 'pg'
import { ARCHIVED_TABLES } from './tables.ts'
import type { Rows } from './write.ts'

/** Maximum characters of a page, unless one row has more. */
const PAGE_LENGTH = 1_048_576
/** Longer rows are read one by one: a key may have a megabyte, and a fetch returns hundreds of rows. */
const SHORT_LENGTH_MAX = 16_384
/** Rows of the first fetch of a table, when the length of its rows is not known yet. */
const FIRST_ROWS = 20
const ROWS_MAX = 500

/** The columns of each table. */
export async function columnsOf(client: pg.Client): Promise<Record<string, string[]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `SELECT c.relname AS table, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.oid IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS t (name)) GROUP BY 1`,
    [ARCHIVED_TABLES],
  )
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))
}

/** All rows of all tables, within the transaction of the client. */
export async function* pagesOf(client: pg.Client): AsyncGenerator<Rows> {
  for (const table of ARCHIVED_TABLES) {
    let page: string[] = []
    let length = 0
    for await (const row of rowsOf(client, table)) {
      if (page.length > 0 && length + row.length > PAGE_LENGTH) {
        yield rowsTogether(table, page)
        page = []
        length = 0
      }
      page.push(row)
      length += row.length
    }
    if (page.length > 0) yield rowsTogether(table, page)
  }
}

function rowsTogether(table: string, rows: readonly string[]): Rows {
  return { table, count: rows.length, json: `[${rows.join(',\n')}]` }
}

/** Keeps one long row in memory at a time, or about a page of short ones: a fetch has at most {@link ROWS_MAX}. */
async function* rowsOf(client: pg.Client, table: string): AsyncGenerator<string> {
  // OFFSET 0 keeps PostgreSQL from building the text twice.
  await client.query(`DECLARE short_rows NO SCROLL CURSOR FOR
    SELECT CASE WHEN length(row) <= ${SHORT_LENGTH_MAX} THEN row END AS short, place
    FROM (SELECT row_to_json(t)::text AS row, ctid AS place FROM ${table} t OFFSET 0) AS rows`)
  let count = FIRST_ROWS
  for (;;) {
    const { rows } = await client.query<{ short: string | null; place: string }>(
      `FETCH ${count} FROM short_rows`,
    )
    if (rows.length === 0) break
    for (const { short, place } of rows) yield short ?? (await longRow(client, table, place))
    const length = rows.reduce((sum, { short }) => sum + (short?.length ?? 0), 0)
    count = Math.max(1, Math.min(ROWS_MAX, Math.floor((PAGE_LENGTH / Math.max(1, length)) * rows.length)))
  }
  await client.query('CLOSE short_rows')
}

/** @param place the physical place of the row, which does not change in the snapshot of the transaction. */
async function longRow(client: pg.Client, table: string, place: string): Promise<string> {
  const { rows } = await client.query<{ row: string }>(
    `SELECT row_to_json(t)::text AS row FROM ${table} t WHERE ctid = $1`,
    [place],
  )
  const [found] = rows
  if (found === undefined)
    throw new Error(`a row of ${table} has moved in a transaction that sees one moment`)
  return found.row
}
