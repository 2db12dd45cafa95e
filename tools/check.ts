/**
 * `pnpm check`: lint, types, dependencies between packages, complete endpoints, generated files; exits with 1 if any of them
 * fails. `pnpm check --filter acl` holds one package to the same, runs its tests, and names the packages that depend on it.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readWorkspace, type WorkspacePackage } from './dependencies/workspace.ts'

const ROOT = join(import.meta.dirname, '..')
const { filter } = parseArgs({ options: { filter: { type: 'string' } } }).values
const packages = readWorkspace(ROOT)
const failed: string[] = []

const chosen = filter === undefined ? undefined : packageOf(filter)
step('endpoints', 'node', ['tools/endpoints/check.ts'])
step('lint', 'biome', ['check', chosen?.path ?? '.'])
step('types', 'pnpm', ['typecheck'])
step('dependencies', 'node', ['tools/dependencies/check.ts'])
step('generated files', 'pnpm', [
  ...(chosen ? ['--filter', chosen.name] : ['-r', '--no-sort', '--no-bail']),
  'run',
  '--if-present',
  'generate',
  '--check',
])
if (chosen) {
  step('tests', 'pnpm', ['--filter', chosen.name, 'run', 'test'])
  const users = dependentsOf(chosen)
  if (users.length > 0)
    console.log(`These depend on ${chosen.name}; run their tests, too: ${users.join(', ')}`)
}
if (failed.length > 0) console.error(`check failed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** @throws Error listing the packages if none has this name, with or without its scope. */
function packageOf(name: string): WorkspacePackage {
  const found = packages.find((pkg) => pkg.name === name || pkg.name === `@latchkey/${name}`)
  if (found) return found
  throw new Error(`no package is named ${name}; there are ${packages.map((pkg) => pkg.name).join(', ')}`)
}

/** The packages that import this one in what they ship, directly or through others. */
function dependentsOf({ name }: WorkspacePackage): readonly string[] {
  const direct = packages.filter((pkg) => name in pkg.dependencies.dependencies)
  return [...new Set(direct.flatMap((pkg) => [pkg.name, ...dependentsOf(pkg)]))]
}

function step(name: string, command: string, args: readonly string[]): void {
  if (spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' }).status !== 0) failed.push(name)
}
