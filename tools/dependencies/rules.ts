/** The rules for dependencies between packages. Every finding names the command or edit that fixes it. */
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import {
  ALLOWED_EDGES,
  BROWSER_PACKAGES,
  HASH_MEMBER_PACKAGES,
  ONE_FILE_LIBRARIES,
  TEST_EDGES,
  TEST_EDGES_OF,
} from './allowed-edges.ts'
import { DEPENDENCY_FIELDS, type Import, type SourceFile, type WorkspacePackage } from './workspace.ts'

export interface Violation {
  /** A file, with its line if there is one. */
  readonly where: string
  readonly problem: string
  /** The command or edit that fixes it. */
  readonly fix: string
}

const SCOPE = '@latchkey/'
const TEST_SUPPORT = /\/src\/(?:.*\/)?(?:test|tests|testing|fixtures|helpers)\//
const EDGES_FILE = 'tools/dependencies/allowed-edges.ts'

/** Checks a workspace against its rules. */
export function findViolations(packages: readonly WorkspacePackage[]): Violation[] {
  return packages.flatMap((pkg) => {
    if (!ALLOWED_EDGES[pkg.name]) {
      return [
        {
          where: `${pkg.path}/package.json`,
          problem: `${pkg.name} has no row in the table of allowed edges`,
          fix: `add '${pkg.name}': [] to ALLOWED_EDGES in ${EDGES_FILE}`,
        },
      ]
    }
    return [
      ...checkManifest(pkg),
      ...pkg.files.flatMap((file) => [
        ...checkPlace(pkg, file),
        ...checkPrivacy(pkg, file),
        ...checkFile(pkg, file, packages),
      ]),
    ]
  })
}

function checkManifest(pkg: WorkspacePackage): Violation[] {
  const where = `${pkg.path}/package.json`
  return DEPENDENCY_FIELDS.flatMap((field) =>
    Object.entries(pkg.dependencies[field]).flatMap(([name, range]) => {
      const isOurs = name.startsWith(SCOPE)
      const allowed = edgesOf(pkg.name, field === 'devDependencies')
      if (isOurs && !allowed.includes(name)) {
        const fix = `pnpm --filter ${pkg.name} remove ${name}`
        return [{ where, problem: `${field}: ${pkg.name} may not depend on ${name}`, fix }]
      }
      if (field === 'peerDependencies') return []
      const wanted = isOurs ? 'workspace:*' : 'catalog:'
      if (range === wanted) return []
      const fix = isOurs
        ? `write "${name}": "workspace:*"`
        : `write "${name}": "catalog:", and its version in the catalog of pnpm-workspace.yaml`
      return [{ where, problem: `${field}: ${name} is "${range}", not "${wanted}"`, fix }]
    }),
  )
}

/** Test support in `src` would ship with the package, so it is refused there. Tests next to their sources are fine. */
function checkPlace(pkg: WorkspacePackage, { path }: SourceFile): Violation[] {
  if (!TEST_SUPPORT.test(path)) return []
  const fix = `move it to ${pkg.path}/test, or to packages/testkit where another package needs it too`
  return [{ where: path, problem: 'test support is in src', fix }]
}

function checkPrivacy(pkg: WorkspacePackage, { path, hashMembers }: SourceFile): Violation[] {
  if (HASH_MEMBER_PACKAGES.includes(pkg.name)) return []
  return hashMembers.map((line) => ({
    where: `${path}:${line}`,
    problem: 'private members use the keyword `private` here, not `#`',
    fix: 'write `private name` and `this.name`',
  }))
}

function checkFile(
  pkg: WorkspacePackage,
  file: SourceFile,
  packages: readonly WorkspacePackage[],
): Violation[] {
  return file.imports.flatMap((imported) => {
    const found = [
      checkBuiltin(pkg, file, imported),
      checkOneFileLibrary(file, imported),
      checkRelative(pkg, file, imported, packages),
      checkEdge(pkg, file, imported, packages),
      imported.reexportsAll
        ? {
            problem: `export * from '${imported.specifier}' hides the names that it exports`,
            fix: 'list the names: export { … } from',
          }
        : undefined,
    ]
    return found.flatMap((finding) =>
      finding ? [{ where: `${file.path}:${imported.line}`, ...finding }] : [],
    )
  })
}

type Finding = Omit<Violation, 'where'> | undefined

function checkBuiltin(pkg: WorkspacePackage, file: SourceFile, { specifier }: Import): Finding {
  if (file.isTest || !BROWSER_PACKAGES.includes(pkg.name) || !isBuiltin(specifier)) return undefined
  return {
    problem: `${pkg.name} runs in browsers and may not import the Node built-in ${specifier}`,
    fix: 'use the web platform (crypto, URL, TextEncoder), or take the value as an argument',
  }
}

function checkOneFileLibrary(file: SourceFile, { specifier }: Import): Finding {
  for (const [start, home] of Object.entries(ONE_FILE_LIBRARIES)) {
    if (file.isTest || !specifier.startsWith(start) || file.path === home) continue
    return {
      problem: `${specifier} may only be imported in ${home}`,
      fix: `import what you need from the package's own exports; only ${home} knows ${start}*`,
    }
  }
  return undefined
}

/** A relative import that leaves its package. */
function checkRelative(
  pkg: WorkspacePackage,
  file: SourceFile,
  { specifier }: Import,
  packages: readonly WorkspacePackage[],
): Finding {
  if (!specifier.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(file.path), specifier)
  if (target.startsWith(`${pkg.path}/`)) return undefined
  const other = packages.find((candidate) => target.startsWith(`${candidate.path}/`))
  return {
    problem: `${specifier} leaves ${pkg.name}`,
    fix: other ? `import from '${other.name}'` : `move the file into ${pkg.path}`,
  }
}

function checkEdge(
  pkg: WorkspacePackage,
  file: SourceFile,
  { specifier }: Import,
  packages: readonly WorkspacePackage[],
): Finding {
  if (!specifier.startsWith(SCOPE)) return undefined
  const [scope, folder, ...rest] = specifier.split('/')
  const name = `${scope}/${folder}`
  if (name !== pkg.name && !edgesOf(pkg.name, file.isTest).includes(name)) {
    const allowed = edgesOf(pkg.name, file.isTest).join(', ') || 'no other package'
    return {
      problem: `${pkg.name} may not import ${name}`,
      fix: `use ${allowed}; to allow a new dependency, edit ${EDGES_FILE}`,
    }
  }
  const subpath = ['.', ...rest].join('/')
  const target = packages.find((candidate) => candidate.name === name)
  if (target?.exports.includes(subpath)) return undefined
  const offered = target?.exports.map((path) => posix.join(name, path)).join(', ') || 'nothing'
  return {
    problem: `${specifier} is not in the exports of ${name}`,
    fix: `import from one of: ${offered}; or list the name there`,
  }
}

function edgesOf(name: string, inTests: boolean): readonly string[] {
  const edges = ALLOWED_EDGES[name] ?? []
  return inTests ? [...edges, ...TEST_EDGES, ...(TEST_EDGES_OF[name] ?? [])] : edges
}
