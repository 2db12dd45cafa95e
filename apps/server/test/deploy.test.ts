import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '../src/config/settings.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')
const NAMES = new Set<string>(Object.values(SETTINGS).map(({ env }) => env))

test('every setting in the files of deploy exists: the server refuses to start with unknown ones', () => {
  const files = globSync('**/*.*', { cwd: DEPLOY, withFileTypes: true }).filter((file) => file.isFile())
  const texts = [
    join(DEPLOY, 'Containerfile'),
    ...files.map(({ parentPath, name }) => join(parentPath, name)),
  ].map((path) => readFileSync(path, 'utf8'))
  const used = new Set(texts.flatMap((text) => text.match(/LATCHKEY_[A-Z_]+/g) ?? []))
  expect(used.size).toBeGreaterThan(4)
  expect([...used].filter((name) => !NAMES.has(name))).toEqual([])
})
