import type pg from 'pg'
import { ARCHIVED_TABLES } from './tables.ts'
import type { Rows } from './write.ts'

/** Text of a page, about. */
const PAGE_LENGTH = 1_048_576
/** Rows of the first page of a table, of which the length of a row is not known yet. A row may have a megabyte. */
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

/** All rows of all tables, within the transaction of the client. A page has about a megabyte. */
export async function* pagesOf(client: pg.Client): AsyncGenerator<Rows> {
  for (const table of ARCHIVED_TABLES) {
    await client.query(`DECLARE page NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS row FROM ${table} t`)
    let count = FIRST_ROWS
    for (;;) {
      const { rows } = await client.query<{ row: string }>(`FETCH ${count} FROM page`)
      if (rows.length === 0) break
      const json = `[${rows.map(({ row }) => row).join(',\n')}]`
      yield { table, count: rows.length, json }
      count = Math.max(1, Math.min(ROWS_MAX, Math.floor((PAGE_LENGTH / json.length) * rows.length)))
    }
    await client.query('CLOSE page')
  }
}
