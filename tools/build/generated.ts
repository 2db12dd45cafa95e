/** Writes files derived from the contract or, with `--check`, compares them with the committed ones. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export interface GeneratedFile {
  readonly path: string
  readonly text: string
}

/** Writes the files that differ. With `--check`, only names them and makes the process fail. */
export function generate(files: readonly GeneratedFile[]): void {
  const stale = files.filter(({ path, text }) => !existsSync(path) || readFileSync(path, 'utf8') !== text)
  const names = stale.map(({ path }) => relative(process.cwd(), path)).join(', ')
  if (stale.length === 0) return
  if (process.argv.includes('--check')) {
    console.error(`out of date: ${names}. Run: pnpm generate`)
    process.exitCode = 1
    return
  }
  for (const { path, text } of stale) writeFileSync(path, text)
  console.log(`wrote ${names}`)
}
