/** Finds the guarantees that test titles name. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'

/** Guarantee ids, such as DUR-01. */
const ID =
  /\b(?:API|AUD|AUTHZ|CFG|COH|DIF|DOS|DUR|EXP|FUZ|INJ|INV|LEAK|LOAD|MEM|MIG|RACE|REP|SDK|SEC|SSRF|SUP|TIM|UPG)-\d\d\b/g

const NOT_OURS: ReadonlySet<string> = new Set(['node_modules', 'dist', 'generated'])

/** Tables and suites whose titles become titles of tests elsewhere. */
const TITLES_ELSEWHERE = /(?:^|\/)cases\/.+\.ts$|(?:^|\/)store\/[\w-]+-suite\.ts$/

/**
 * A call of `test` or `describe`, also after a table; a `title:`; a title on its own line; `(DUR-01)` in a table row.
 */
const TITLE = /\b(?:test|describe)\b[\w.]*\(|^\s*\]\)\(|\btitle:|^\s*['"`]|\([A-Z]+-\d\d/
const COMMENT = /^\s*(?:\/\/|\/?\*)/

export function isTestFile(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}

/** Ids by file below a folder, only for files that have any. Ids in comments are ignored. */
export function idsInTitles(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>()
  for (const file of filesBelow(folder)) {
    const path = relative(folder, file).split(sep).join('/')
    if (!isTestFile(path) && !TITLES_ELSEWHERE.test(path)) continue
    const ids = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => TITLE.test(line) && !COMMENT.test(line))
      .flatMap((line) => [...line.matchAll(ID)].map(([id]) => id))
    if (ids.length > 0) found.set(path, new Set(ids))
  }
  return found
}

/** Finds the only test file of a name in any folder. */
export function findTest(root: string, folders: readonly string[], name: string) {
  const found = folders.flatMap((folder) =>
    filesBelow(join(root, folder))
      .filter((path) => basename(path) === name)
      .map((path) => ({ folder, file: relative(join(root, folder), path).split(sep).join('/') })),
  )
  const [test, ...others] = found
  if (!test || others.length > 0) throw new Error(`${found.length} test files are called ${name}`)
  return test
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !NOT_OURS.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    })
}
