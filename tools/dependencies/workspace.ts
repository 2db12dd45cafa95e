/** The workspace as input for the rules: packages with their manifests, and source files with their imports. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { parseSync } from 'vite'

export interface Import {
  readonly specifier: string
  /** From 1. */
  readonly line: number
  /** `export * from`, which lists no names. */
  readonly reexportsAll: boolean
}

export interface SourceFile {
  /** Relative to the root of the workspace, with `/`. */
  readonly path: string
  /** A test, or test support: fixtures, benches, scripts, examples, tool configuration. */
  readonly isTest: boolean
  readonly imports: readonly Import[]
  /** Lines that declare a `#private` member, from 1. */
  readonly hashMembers: readonly number[]
}

/** Fields of a manifest that name dependencies. */
export const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'peerDependencies'] as const
type DependencyField = (typeof DEPENDENCY_FIELDS)[number]

export interface WorkspacePackage {
  readonly name: string
  /** Relative to the root of the workspace, with `/`. */
  readonly path: string
  /** Subpaths of its `exports`, such as `.` and `./routes`. */
  readonly exports: readonly string[]
  readonly dependencies: Readonly<Record<DependencyField, Readonly<Record<string, string>>>>
  readonly files: readonly SourceFile[]
}

const SOURCE = /\.(?:ts|tsx|mts|cts)$/
const NOT_OURS = new Set(['node_modules', 'dist', 'generated', '.turbo', '.vitest', 'consumers'])
const TEST_FILE = /\.(?:test|test-d)\.tsx?$|(?:^|\/)(?:test|bench|scripts|examples)\/|\.config\.ts$/

/** Reads every package under `apps` and `packages`, and `tools`. */
export function readWorkspace(root: string): WorkspacePackage[] {
  const folders = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(root, group, entry.name)),
  )
  return [...folders, join(root, 'tools')].flatMap((folder) => readPackage(root, folder))
}

/** A folder without a manifest is not a package. */
function readPackage(root: string, folder: string): WorkspacePackage[] {
  if (!readdirSync(folder).includes('package.json')) return []
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const field = (name: DependencyField) => (manifest[name] ?? {}) as Record<string, string>
  return [
    {
      name: String(manifest.name),
      path: toPath(root, folder),
      exports: Object.keys((manifest.exports ?? {}) as Record<string, unknown>),
      dependencies: {
        dependencies: field('dependencies'),
        devDependencies: field('devDependencies'),
        peerDependencies: field('peerDependencies'),
      },
      files: sourceFiles(folder).map((file) => {
        const path = toPath(root, file)
        const source = readFileSync(file, 'utf8')
        return {
          path,
          isTest: isTestPath(toPath(folder, file)),
          imports: parseImports(basename(file), source),
          hashMembers: findHashMembers(source),
        }
      }),
    },
  ]
}

/** @param path relative to the folder of the package. */
export function isTestPath(path: string): boolean {
  return TEST_FILE.test(path)
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return sourceFiles(path)
      return SOURCE.test(entry.name) ? [path] : []
    })
    .sort()
}

const HASH_MEMBER = /^\s+(?:(?:static|readonly|get|set|async|override)\s+)*\*?#[A-Za-z_]/

export function findHashMembers(source: string): number[] {
  return source.split('\n').flatMap((line, i) => (HASH_MEMBER.test(line) ? [i + 1] : []))
}

/** Static imports, re-exports, dynamic imports of a literal, and types by `import('…')`. */
export function parseImports(name: string, source: string): Import[] {
  const { module } = parseSync(name, source)
  const found: Import[] = []
  const add = (specifier: string, at: number, reexportsAll = false) =>
    found.push({ specifier, line: source.slice(0, at).split('\n').length, reexportsAll })
  for (const { moduleRequest } of module.staticImports) add(moduleRequest.value, moduleRequest.start)
  for (const { entries } of module.staticExports) {
    const [entry] = entries
    if (!entry?.moduleRequest) continue
    const isAll = entry.importName.kind === 'AllButDefault' && entry.exportName.kind === 'None'
    add(entry.moduleRequest.value, entry.moduleRequest.start, isAll)
  }
  for (const [text, specifier = ''] of source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) {
    add(specifier, source.indexOf(text))
  }
  return found
}

function toPath(from: string, to: string): string {
  return relative(from, to).split(sep).join('/')
}
