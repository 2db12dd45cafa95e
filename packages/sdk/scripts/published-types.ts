/** The published declarations of src/types.ts: evaluated, with the descriptions of the contract. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { areUnchanged, inputsOf } from '@latchkey/testkit/process/inputs'
import { CONTRACT_DESCRIPTIONS } from '@latchkey/tools/build/contract-descriptions'
import { flattenTypes } from '@latchkey/tools/build/flatten-types'

const PACKAGE = join(import.meta.dirname, '..')
const KEPT = join(PACKAGE, 'node_modules/.published-types.json')

/** Evaluating takes ten seconds, so the text is kept until a source changes: the build makes it, and a test reads it. */
export function publishedTypes(): string {
  const kept = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : { inputs: [] }
  if (areUnchanged(kept.inputs)) return kept.text
  const { text, files } = flattenTypes({
    entry: join(PACKAGE, 'src/types.ts'),
    tsconfig: join(PACKAGE, 'tsconfig.json'),
    descriptions: CONTRACT_DESCRIPTIONS,
  })
  writeFileSync(KEPT, JSON.stringify({ inputs: inputsOf(files), text }))
  return text
}
