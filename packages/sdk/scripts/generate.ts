/** Writes the facts of the endpoints, from the contract, into the docstrings of their methods. */
import { readFileSync, writeFileSync } from 'node:fs'
import { documentedFiles, withEndpointDocs } from './endpoint-docs.ts'

for (const file of documentedFiles()) writeFileSync(file, withEndpointDocs(readFileSync(file, 'utf8')))
