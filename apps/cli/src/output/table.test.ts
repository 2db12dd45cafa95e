import { expect, test } from 'vitest'
import { type Column, renderTable } from './table.ts'

const ID = '8d5faa9a-0c7b-4b36-9f3b-1a2b3c4d5e6f'
type Row = readonly string[]

const column = (title: string, at: number): Column<Row> => [title, (row) => row[at] ?? '']
const COLUMNS = [column('ID', 0), column('Description', 1), column('Policies', 2)]

function linesOf(rows: readonly Row[], width: number | undefined): readonly string[] {
  return renderTable(rows, COLUMNS, { paint: (_, text) => text, width })
    .trimEnd()
    .split('\n')
}

const widest = (lines: readonly string[]) => Math.max(...lines.map(({ length }) => length))

test('a record has one line where the terminal has room, or its width is unknown', () => {
  expect(linesOf([[ID, 'short', 'ops']], 80)).toHaveLength(2)
  expect(linesOf([[ID, 'word '.repeat(100), 'ops']], undefined)).toHaveLength(2)
})

test.each([
  ['in the last column', 'short', 'policy '.repeat(60)],
  ['in another column', 'word '.repeat(600), 'ops'],
  ['in both', 'word '.repeat(600), 'policy '.repeat(60)],
])('a long text %s is wrapped to the terminal, and IDs stay whole', (_place, description, policies) => {
  const lines = linesOf([[ID, description, policies]], 120)
  expect(widest(lines)).toBeLessThanOrEqual(120)
  expect(lines.join('\n')).toContain(ID)
})
