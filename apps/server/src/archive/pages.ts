import type pg from 'pg'
import { ARCHIVED_TABLES } from './tables.ts'
import type { Rows } from './write.ts'

/** Maximum characters of a page, unless one row has more. */
const PAGE_LENGTH = 1_048_576
/** Rows of one fetch: few, because a key may have a megabyte. */
const FETCHED_ROWS = 50

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

async function* rowsOf(client: pg.Client, table: string): AsyncGenerator<string> {
  await client.query(
    `DECLARE archived NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS row FROM ${table} t`,
  )
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${FETCHED_ROWS} FROM archived`)
    if (rows.length === 0) break
    for (const { row } of rows) yield row
  }
  await client.query('CLOSE archived')
}
