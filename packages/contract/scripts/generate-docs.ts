/// <reference types="node" />
/** Writes what is derived from the contract: the plain endpoints, the pages under docs/, and parts of pages. A test compares them. */
import { writeFileSync } from 'node:fs'
import { generatedPages } from './pages.ts'

for (const { path, text } of generatedPages()) {
  writeFileSync(path, text)
  console.log(`wrote ${path}`)
}
