/** The published declarations of src/types.ts: evaluated, with the descriptions of the contract. */
import { join } from 'node:path'
import { CONTRACT_DESCRIPTIONS } from '@latchkey/testkit/packaging/contract-descriptions'
import { flattenTypes } from '@latchkey/testkit/packaging/flatten-types'

const PACKAGE = join(import.meta.dirname, '..')

export function publishedTypes(): string {
  return flattenTypes({
    entry: join(PACKAGE, 'src/types.ts'),
    tsconfig: join(PACKAGE, 'tsconfig.json'),
    descriptions: CONTRACT_DESCRIPTIONS,
  })
}
