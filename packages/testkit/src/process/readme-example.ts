import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Runs the first example of a package's README. `shown` is its documented output. */
export function runReadmeExample(folder: string): { readonly printed: string; readonly shown: string } {
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? []
  const [, shown = ''] = /^```text\n([\s\S]*?)^```$/m.exec(page) ?? []
  if (code === '' || shown === '') throw new TypeError(`${folder}/README.md has no example with its output`)
  const args = ['--input-type=module-typescript', '--eval', code]
  return { printed: execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }), shown }
}
