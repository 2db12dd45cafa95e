import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** A digest of the files that match the patterns, except tests. @param patterns relative to the root of the repository. */
export function digestOfSources(patterns: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort()) {
    if (/\.test\.tsx?$/.test(file)) continue
    const content = readFileSync(join(ROOT, file))
    hash.update(file).update('\0').update(content)
  }
  return hash.digest('hex')
}
