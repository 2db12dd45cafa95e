import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { anEncryptionKey } from '../../test/encryption-key.ts'
import { loadKeyFile, parseEncryptionKeys } from './encryption-keys.ts'
import { createKeyRing } from './key-ring.ts'

const dataDir = temporaryFolder('keys')

test('are read from a list or from lines; the first is the active one', () => {
  const [a, b] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64url')]
  const text = `# a comment: with a colon, and a comma\nnew:${a}, old:${b}\n\n`
  const keys = parseEncryptionKeys(text)
  expect(keys.map(({ id }) => id)).toEqual(['new', 'old'])
  expect(createKeyRing(keys).activeId).toBe('new')
  expect(keys[1]?.key.export()).toEqual(Buffer.from(b, 'base64url'))
})

const canary = randomBytes(32).toString('base64')
test.each([
  ['nothing', '', 'no key'],
  ['only a comment', '# nothing', 'no key'],
  ['no id', canary, 'key 1 does not begin with an id'],
  ['an id with a space', `good:${canary},my key:${canary}`, 'key 2 does not begin with an id'],
  ['31 bytes', `k1:${randomBytes(31).toString('base64')}`, 'key 1 (k1) is not 32 bytes'],
  ['33 bytes', `k1:${randomBytes(33).toString('base64')}`, 'key 1 (k1) is not 32 bytes'],
  ['something else than base64', `k1:${canary.slice(0, -1)}!!`, 'key 1 (k1) is not 32 bytes'],
  ['an id twice', `k1:${canary},k1:${canary}`, 'the key id k1 appears twice'],
])('LEAK-02: %s is refused, by position and id and never by key', (_, text, problem) => {
  expect(() => parseEncryptionKeys(text)).toThrow(problem)
  expect(() => parseEncryptionKeys(text)).not.toThrow(canary.slice(0, 8))
})

test('are created once and kept in a file of mode 600', async () => {
  const [first, second] = await Promise.all([loadKeyFile(dataDir), loadKeyFile(dataDir)])
  expect(first[0]?.key.equals(second[0]?.key ?? anEncryptionKey('none').key)).toBe(true)
  const file = join(dataDir, 'encryption.keys')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^(key-.*:).*$/m, '$1broken'))
  await expect(loadKeyFile(dataDir)).rejects.toThrow(
    /encryption\.keys: key 1 \(key-[0-9a-f]{8}\) is not 32 bytes/,
  )
})
