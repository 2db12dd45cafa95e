/**
 * Writes the table of settings into README.md. With `--check` it only looks, and ends with 1 when the table is not
 * current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceConfigTable } from '../src/config/config-table.ts'

const readme = join(import.meta.dirname, '../../../README.md')
const page = readFileSync(readme, 'utf8')
const current = replaceConfigTable(page)

if (!process.argv.includes('--check')) writeFileSync(readme, current)
else if (page !== current) {
  console.error('The configuration table in README.md is not current. Run: pnpm generate')
  process.exitCode = 1
}
