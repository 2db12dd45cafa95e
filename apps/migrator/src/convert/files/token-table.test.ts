import { expect, test } from 'vitest'
import { aConversion } from '../../../test/conversion.ts'
import { TokenSelection, tokenTable } from './token-table.ts'

const RULES = 'key "a" { policy = "read" }'
const CONVERSION = aConversion([
  { name: '=HYPERLINK("x"), y', rules: RULES },
  { name: 'a\n"b"\u202e;', rules: RULES },
  { name: 'admin', type: 'management' },
  { name: 'bad', rules: 'key {' },
  { name: 'nothing', rules: '# nothing' },
  { name: 'empty' },
])
const TABLE = tokenTable(CONVERSION, [
  { id: 'some-finding', severity: 'warning', count: 1, detail: '', avoid: '', tokens: [] },
])
const tokens = [...CONVERSION.groups.flatMap((group) => group.tokens), ...CONVERSION.management]
const chosen = (text: string) =>
  tokens.filter(new TokenSelection(text, 'x').has).map(({ position }) => position)

test('each token is one line, and no cell is a formula or a number', () => {
  const lines = TABLE.trimEnd().split('\n')
  expect(lines).toHaveLength(7)
  expect(lines[0]).toBe('name,hash,accessor,group,policy,finding')
  expect(lines[1]).toMatch(/^"'=HYPERLINK\(""x""\), y",sha256:[0-9a-f]{12},,.*,policy /)
  expect(lines[2]).toMatch(/^"a\\u\{a\}""b""\\u\{202e\};",/)
  expect(lines[4]).toContain('cannot be converted: ')
  expect(lines[6]).toContain('without rules')
})

test.each([
  ['as written', TABLE, [0, 1, 2]],
  ['with some lines only', TABLE.split('\n').slice(0, 2).join('\n'), [0]],
  ['as spreadsheets save it', `\uFEFF${TABLE.replaceAll('\n', '\r\n')}`.slice(1), [0, 1, 2]],
  ['with semicolons', `name;hash;accessor\r\n"a;\n""b""";${tokens[1]?.idHash};\r\n;;\r\n`, [1]],
  ['with tabs, hash alone', `hash\taccessor\n${tokens[2]?.idHash.toUpperCase()}\t\n`, [2]],
])('a list %s', (_, text, positions) => {
  expect(chosen(text)).toEqual(positions)
})

test.each([
  ['without a column', 'name,accessor\n', 'x:1: the first line has no column hash'],
  ['that is empty', '', 'no column hash'],
  ['with a hash that a spreadsheet changed', 'hash,accessor\nsha256:1e+12,\n', 'x:2: hash is "1e+12"'],
  ['with a quote that is not closed', 'hash,accessor\n"a,b\n', 'x:2: a quote is not closed'],
])('a list %s is refused, with its line', (_, text, message) => {
  const attempt = () => new TokenSelection(text, 'x')
  expect(attempt).toThrow(expect.objectContaining({ text: expect.stringContaining(message) }))
})

test('lines that name no token are known', () => {
  const selection = new TokenSelection(`hash,accessor\n${tokens[0]?.idHash},\n${'0'.repeat(12)},\n`, 'x')
  tokens.filter(selection.has)
  expect([...selection.unknown]).toEqual([3])
})
