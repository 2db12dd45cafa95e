import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'

const root = temporaryFolder('replace')
const REPLACE = join(import.meta.dirname, 'replace-folder.ts')
const PROCESSES = 3
const TIMES = 200

/** Replaces a folder again and again by new ones with two files. */
const PROGRAM = `
  import { writeFileSync } from 'node:fs'
  import { replaceFolder } from ${JSON.stringify(REPLACE)}
  process.umask(0o022)
  for (let i = 0; i < ${TIMES}; i += 1) {
    await replaceFolder(${JSON.stringify(join(root, 'folder'))}, ${JSON.stringify(root)}, async (next) => {
      for (const name of ['a', 'b']) writeFileSync(next + '/' + name, '')
    })
  }`

test('processes that replace a folder at once leave one whole that every user may read, and nothing else', async () => {
  const exits = Array.from({ length: PROCESSES }, async () => {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', PROGRAM], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(child, 'exit')
    return code
  })
  expect(await Promise.all(exits)).toEqual([0, 0, 0])
  expect(readdirSync(root)).toEqual(['folder'])
  expect(readdirSync(join(root, 'folder'))).toEqual(['a', 'b'])
  expect(statSync(join(root, 'folder')).mode & 0o777).toBe(0o755)
})
