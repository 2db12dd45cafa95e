/// <reference types="node" />
/** Writes the pages under docs/ that are derived from the contract. Run it from anywhere; tests compare the pages. */
import { writeFileSync } from 'node:fs'
import { renderGatesTable } from '../src/gates-table.ts'

const PAGES: readonly { readonly path: string; readonly text: string }[] = [
  { path: 'version-gates.md', text: renderGatesTable() },
]

for (const { path, text } of PAGES) {
  const file = new URL(`../../../docs/${path}`, import.meta.url)
  writeFileSync(file, text)
  console.log(`wrote docs/${path}`)
}
