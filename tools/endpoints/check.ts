/**
 * `pnpm check:endpoints`: names every endpoint without a handler, an SDK method or a conformance case. The compiler names
 * one without an example.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROUTE_LIST } from '@latchkey/contract'
import { findGaps } from './gaps.ts'

const root = join(import.meta.dirname, '../..')

/** The sources of a folder as one text, without tests. */
function textOf(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('.test'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n')
}

const gaps = findGaps(ROUTE_LIST, {
  handlers: readFileSync(join(root, 'packages/service/src/generated/handlers.ts'), 'utf8'),
  sdk: textOf('packages/sdk/src'),
  cases: textOf('packages/conformance/src/cases'),
})
for (const gap of gaps) console.error(gap)
console.log(`check:endpoints: ${ROUTE_LIST.length} endpoints, ${gaps.length} gap(s)`)
process.exitCode = gaps.length === 0 ? 0 : 1
