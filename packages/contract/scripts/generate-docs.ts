/// <reference types="node" />
/** Writes the pages under docs/, and parts of pages, that are derived from the contract. A test compares them. */
import { writeFileSync } from 'node:fs'
import { generatedPages } from './pages.ts'

for (const { path, text } of generatedPages()) {
  writeFileSync(path, text)
  console.log(`wrote ${path}`)
}
