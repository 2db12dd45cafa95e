/** Writes what is derived from the contract: src/generated-*.ts, and the facts of the endpoints inside docstrings. */
import { readFileSync, writeFileSync } from 'node:fs'
import { withEndpointDocs } from './endpoint-docs.ts'
import { ANSWERS_FILE, documentedFiles, TYPES_FILE } from './generated-files.ts'
import { renderAnswers } from './render-answers.ts'
import { renderTypes } from './render-types.ts'

writeFileSync(TYPES_FILE, renderTypes())
writeFileSync(ANSWERS_FILE, renderAnswers())
for (const file of documentedFiles()) writeFileSync(file, withEndpointDocs(readFileSync(file, 'utf8')))
