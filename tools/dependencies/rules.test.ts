import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ALLOWED_EDGES } from './allowed-edges.ts'
import { findViolations } from './rules.ts'
import type { Import, SourceFile, WorkspacePackage } from './workspace.ts'
import { findHashMembers, isTestPath, parseImports } from './workspace.ts'

function anImport(specifier: string, reexportsAll = false): Import {
  return { specifier, line: 3, reexportsAll }
}

function aFile(path: string, imports: readonly Import[], isTest = false): SourceFile {
  return { path, isTest, imports, hashMembers: [] }
}

function aPackage(name: string, over: Partial<WorkspacePackage> = {}): WorkspacePackage {
  return {
    name: `@latchkey/${name}`,
    path: `packages/${name}`,
    exports: ['.'],
    dependencies: { dependencies: {}, devDependencies: {}, peerDependencies: {} },
    files: [],
    ...over,
  }
}

const contract = aPackage('contract', { exports: ['.', './routes'] })

/** Problems of one file of `acl`, next to the contract. */
function problemsOf(...imports: Import[]): string[] {
  const acl = aPackage('acl', { files: [aFile('packages/acl/src/a.ts', imports)] })
  return findViolations([contract, acl]).map(({ where, problem }) => `${where} ${problem}`)
}

test('an allowed dependency through the exports map passes', () => {
  expect(problemsOf(anImport('@latchkey/contract'), anImport('@latchkey/contract/routes'))).toEqual([])
})

test('a dependency that is not in the table is refused, with file and line', () => {
  expect(problemsOf(anImport('@latchkey/sdk'))).toEqual([
    'packages/acl/src/a.ts:3 @latchkey/acl may not import @latchkey/sdk',
  ])
})

test('an import that bypasses the exports map is refused, and the fix names the exports', () => {
  const acl = aPackage('acl', {
    files: [aFile('packages/acl/src/a.ts', [anImport('@latchkey/contract/src/token.ts')])],
  })
  const [violation] = findViolations([contract, acl])
  expect(violation?.problem).toContain('is not in the exports of @latchkey/contract')
  expect(violation?.fix).toContain('@latchkey/contract, @latchkey/contract/routes')
})

test('a relative import into another package is refused, and the fix names the package', () => {
  const acl = aPackage('acl', {
    files: [aFile('packages/acl/src/a.ts', [anImport('../../contract/src/token.ts')])],
  })
  expect(findViolations([contract, acl])[0]).toMatchObject({ fix: "import from '@latchkey/contract'" })
})

test('a Node built-in is refused in the source of a browser package, with or without node:', () => {
  expect(problemsOf(anImport('node:fs'), anImport('crypto'))).toHaveLength(2)
})

test('a Node built-in is allowed in tests, and in packages that only run in Node', () => {
  const acl = aPackage('acl', { files: [aFile('packages/acl/src/a.test.ts', [anImport('node:fs')], true)] })
  const server = aPackage('server', {
    path: 'apps/server',
    files: [aFile('apps/server/src/a.ts', [anImport('node:fs')])],
  })
  expect(findViolations([acl, server])).toEqual([])
})

test('ts-rest is allowed only in one file of the contract, and in tests', () => {
  const withTsRest = (path: string, isTest = false) =>
    findViolations([aPackage('contract', { files: [aFile(path, [anImport('@ts-rest/core')], isTest)] })])
  expect(withTsRest('packages/contract/src/route.ts')).toEqual([])
  expect(withTsRest('packages/contract/src/routes.ts')).toHaveLength(1)
  expect(withTsRest('packages/contract/src/contract.test-d.ts', true)).toEqual([])
})

test('tests may use the mocks, sources may not', () => {
  const mocks = aPackage('mocks')
  const using = (isTest: boolean) =>
    findViolations([
      mocks,
      aPackage('sdk', { files: [aFile('packages/sdk/src/a.ts', [anImport('@latchkey/mocks')], isTest)] }),
    ])
  expect(using(true)).toEqual([])
  expect(using(false)).toHaveLength(1)
})

test('a manifest that names a forbidden package is refused, with the command that removes it', () => {
  const dependencies = { '@latchkey/server': 'workspace:*' }
  const acl = aPackage('acl', { dependencies: { dependencies, devDependencies: {}, peerDependencies: {} } })
  expect(findViolations([acl])).toMatchObject([
    { fix: 'pnpm --filter @latchkey/acl remove @latchkey/server' },
  ])
})

test('a version outside the catalog is refused, except for a peer', () => {
  const dependencies = { zod: '^4.0.0' }
  const peerDependencies = { msw: '^3.0.0' }
  const acl = aPackage('acl', { dependencies: { dependencies, devDependencies: {}, peerDependencies } })
  expect(findViolations([acl]).map(({ problem }) => problem)).toEqual([
    'dependencies: zod is "^4.0.0", not "catalog:"',
  ])
})

test('a package without a row in the table is refused', () => {
  expect(findViolations([aPackage('billing')])).toMatchObject([{ where: 'packages/billing/package.json' }])
})

test('export * is refused, a named namespace is not', () => {
  expect(problemsOf(anImport('./b.ts', true))).toHaveLength(1)
  expect(problemsOf(anImport('./b.ts'))).toEqual([])
})

test('imports are found in every form, but not in strings', () => {
  const source = `
    import type { A } from 'type-only'
    import 'for-effect'
    export { b } from './re-export.ts'
    export * from './all.ts'
    export * as c from './namespace.ts'
    const d = await import('dynamic')
    type E = import('in-a-type').E
    const f = "import g from 'in-a-text'"
  `
  expect(
    parseImports('a.ts', source).map(({ specifier, reexportsAll }) => [specifier, reexportsAll]),
  ).toEqual([
    ['type-only', false],
    ['for-effect', false],
    ['./re-export.ts', false],
    ['./all.ts', true],
    ['./namespace.ts', false],
    ['dynamic', false],
    ['in-a-type', false],
  ])
})

test('test support in src is refused; tests beside their sources are not', () => {
  const paths = ['src/testing/io.ts', 'src/a/fixtures/b.ts', 'src/a.test.ts', 'test/io.ts', 'src/latest/a.ts']
  const acl = aPackage('acl', {
    files: paths.map((path) => aFile(`packages/acl/${path}`, [], isTestPath(path))),
  })
  expect(findViolations([acl]).map(({ where }) => where)).toEqual([
    'packages/acl/src/testing/io.ts',
    'packages/acl/src/a/fixtures/b.ts',
  ])
})

test('tests are recognized by their place and name', () => {
  for (const path of ['src/a.test.ts', 'src/a.test-d.ts', 'test/a.ts', 'vitest.config.ts']) {
    expect(isTestPath(path), path).toBe(true)
  }
  for (const path of ['src/latest.ts', 'src/testing.ts', 'src/testing/seed.ts', 'src/contest/a.ts']) {
    expect(isTestPath(path), path).toBe(false)
  }
})

test('a #private member is refused, except in the SDK, whose objects hold a secret', () => {
  const source = 'class A {\n  readonly #a = 1\n  *#b() {}\n  private c = `#d`\n}\n'
  expect(findHashMembers(source)).toEqual([2, 3])
  const file = { ...aFile('src/a.ts', []), hashMembers: [2] }
  const [violation] = findViolations([aPackage('acl', { files: [file] })])
  expect(violation).toMatchObject({ where: 'src/a.ts:2' })
  expect(findViolations([aPackage('sdk', { files: [file] })])).toEqual([])
})

test('the architecture page shows the same table', () => {
  const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
  const rows = page.matchAll(/^\| \[`(?:apps\/|packages\/)?([a-z]+)`\].*\|([a-z, ]*)\|$/gm)
  const shown = Array.from(rows, ([, name, edges = '']) => [
    `@latchkey/${name}`,
    edges
      .split(',')
      .map((edge) => edge.trim())
      .filter((edge) => edge !== '')
      .map((edge) => `@latchkey/${edge}`),
  ])
  expect(Object.fromEntries(shown)).toEqual(ALLOWED_EDGES)
})
