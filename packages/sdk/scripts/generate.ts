/** Writes the facts of the endpoints, from the contract, into the docstrings of their methods. */
import { readFileSync } from 'node:fs'
import { generate } from '@latchkey/testkit/packaging/generated'
import { documentedFiles, withEndpointDocs } from './endpoint-docs.ts'

generate(documentedFiles().map((path) => ({ path, text: withEndpointDocs(readFileSync(path, 'utf8')) })))
