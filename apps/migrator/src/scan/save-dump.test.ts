import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { DumpFile } from './save-dump.ts'

const folder = temporaryFolder('migrator-dump')

test('a dump discarded while it is being opened leaves no file', async () => {
  // Each save opens its file and removes it on two threads at the same time.
  for (let i = 0; i < 300; i += 1) await new DumpFile(join(folder, `tokens-${i}.ndjson`)).discard()
  expect(readdirSync(folder)).toEqual([])
})
