import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readOrCreateSecretFile } from './durable-file.ts'
import { StartError } from './start-error.ts'

let directory: string
let path: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'latchkey-files-'))
  path = join(directory, 'secret')
})
afterEach(() => rmSync(directory, { recursive: true }))

test('a missing file is created with mode 600, and read afterwards', async () => {
  expect(await readOrCreateSecretFile(path, () => 'first')).toBe('first')
  expect(await readOrCreateSecretFile(path, () => 'second')).toBe('first')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('of many concurrent creators, one wins and all see its text', async () => {
  const texts = await Promise.all(
    Array.from({ length: 20 }, (_, n) => readOrCreateSecretFile(path, () => `text ${n}`)),
  )
  expect(new Set(texts).size).toBe(1)
  expect(readdirSync(directory)).toEqual(['secret'])
})

test('CFG-01: a file that others may read is refused, without showing it', async () => {
  writeFileSync(path, 'canary')
  chmodSync(path, 0o644)
  const refused = await readOrCreateSecretFile(path, () => 'new').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(StartError)
  expect(String(refused)).toContain("chmod 600 '")
  expect(String(refused)).not.toContain('canary')
})
