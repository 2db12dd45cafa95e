import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderConfigTable, replaceConfigTable } from './config-table.ts'
import { SETTINGS } from './settings.ts'

test('the table has a row for every setting, with what it accepts and its fallback', () => {
  const rows = renderConfigTable().split('\n')
  expect(rows).toHaveLength(2 + Object.keys(SETTINGS).length)
  expect(rows).toContain(
    '| `PORT` | The port to listen on; 0 picks a free one. | a whole number from 0 to 65535 | `8500` |',
  )
})

test('the table shows no value of this machine', () => {
  expect(renderConfigTable()).not.toContain(SETTINGS.nodeName.fallback)
})

test('the table in docs/configuration.md is current (else run: pnpm generate)', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/configuration.md'), 'utf8')
  expect(replaceConfigTable(page)).toBe(page)
})
