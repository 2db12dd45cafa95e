/** Where the generator writes. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const SRC = join(import.meta.dirname, '../src')

export const TYPES_FILE = join(SRC, 'generated-types.ts')
export const ANSWERS_FILE = join(SRC, 'generated-answers.ts')

/** The sources whose docstrings name endpoints. */
export function documentedFiles(): readonly string[] {
  const resources = readdirSync(join(SRC, 'resources'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(SRC, 'resources', name))
  return [join(SRC, 'client.ts'), ...resources]
}
