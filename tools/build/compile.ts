/** Compiles the published packages with `tsc`. No file in dist may import an unpublished package. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Compiles a project of a package with the workspace's TypeScript. */
export function compile(folder: string, project: string): void {
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  // With more checkers, each infers the types of the contract again.
  const args = ['-p', join(folder, project), '--checkers', '1']
  execFileSync(process.execPath, [tsc, ...args], { stdio: 'inherit' })
}

/** The specifiers of `import` and `export … from`, in code and types. */
const SPECIFIER = /(from |import |import\()(['"])([^'"]+)\2/g

/**
 * Rewrites the imports between published files, and deletes files that no entry reaches. The compiler rewrites `.ts` only in
 * code, so this rewrites types.
 *
 * @param entries the code and types that the manifest names, relative to `dist`.
 * @param target the target of an import from outside the package; `undefined` if it must not be published.
 * @throws Error naming the file and the import.
 */
export function linkDist(
  dist: string,
  entries: readonly string[],
  target: (specifier: string) => string | undefined,
): void {
  const kept = new Set<string>()
  const link = (file: string): void => {
    if (kept.has(file)) return
    kept.add(file)
    const source = readFileSync(file, 'utf8').replace(
      SPECIFIER,
      (_, keyword: string, quote: string, specifier: string) => {
        const path = isRelative(specifier) ? specifier.replace(/\.ts$/, '.js') : target(specifier)
        if (path === undefined) throw new Error(`${file} imports ${specifier}`)
        if (isRelative(path))
          link(join(dirname(file), file.endsWith('.d.ts') ? path.replace(/\.js$/, '.d.ts') : path))
        return `${keyword}${quote}${path}${quote}`
      },
    )
    writeFileSync(file, source)
  }
  for (const entry of entries) link(join(dist, entry))
  for (const file of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name)
    if (file.isFile() && !kept.has(path)) rmSync(path)
  }
}

function isRelative(specifier: string): boolean {
  return /^\.\.?\//.test(specifier)
}
