/** Writes what is derived from the contract: the regular methods, and the facts in the docstrings of the others. */
import { readFileSync } from 'node:fs'
import { generate } from '@latchkey/tools/build/generated'
import { documentedFiles, withEndpointDocs } from './endpoint-docs.ts'
import { generatedResources } from './resources.ts'

generate([
  ...generatedResources(),
  ...documentedFiles().map((path) => ({ path, text: withEndpointDocs(readFileSync(path, 'utf8')) })),
])
