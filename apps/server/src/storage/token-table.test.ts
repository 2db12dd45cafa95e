import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { TokenRecord } from '@latchkey/acl'
import { expect, test } from 'vitest'
import { FIELD_END, ownRecord, ROW_END, readTokenRows, TOKEN_COLUMNS, tokenOfRow } from './token-table.ts'

const MIB = 1_048_576
const PAGES = 50

/** A page of a hundred rows of 10 KB each, as PostgreSQL sends it. */
function page(): string {
  const fields = TOKEN_COLUMNS.filter(({ field, isOfSecret }) => field || isOfSecret).map(({ name, sql }) => {
    if (sql === 'text[]' || sql === 'json') return '[]'
    if (sql === 'bytea') return '\\x00'
    if (name === 'description') return 'd'.repeat(10_000)
    return sql === 'text' ? `${name} of a token in a page` : '1'
  })
  return Array(100).fill(fields.join(FIELD_END)).join(ROW_END)
}

test('a copied record retains nothing of the page that it was read from', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const usedBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const kept: TokenRecord[] = []
  const before = usedBytes()
  for (let i = 0; i < PAGES; i += 1) {
    const [row] = readTokenRows(page())
    if (!row) throw new TypeError('the page has no row')
    kept.push(ownRecord(tokenOfRow(row, { open: () => 'secret' })))
  }
  expect(usedBytes() - before).toBeLessThan((PAGES * MIB) / 10)
  expect(kept[0]).toMatchObject({ ExpirationTime: 'expiration_time of a token in a page' })
})
