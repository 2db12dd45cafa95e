import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { openDataDirectory } from './data-directory.ts'
import { StartError } from './start-error.ts'

const home = temporaryFolder('data')

test('missing parents are created, readable only by the owner', () => {
  const path = join(home, 'a/b')
  expect(openDataDirectory(path)).toBe(path)
  expect(statSync(path).mode & 0o066).toBe(0)
  expect(openDataDirectory(path)).toBe(path)
})

// `mkdir` returns ENOENT below a directory of this kind, although the parent exists.
test.runIf(process.platform === 'linux')('a directory that cannot be written to is refused at once', () => {
  expect(() => openDataDirectory('/proc/latchkey/data')).toThrow(StartError)
})

test('a file in place of the directory is refused as such', () => {
  const path = join(home, 'file')
  writeFileSync(path, '')
  expect(() => openDataDirectory(path)).toThrow(/it is a file, not a directory/)
})
