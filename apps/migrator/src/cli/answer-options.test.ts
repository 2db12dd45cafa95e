import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { fileWriter } from '../../test/files.ts'
import { run } from '../../test/io.ts'

const file = fileWriter(temporaryFolder('migrator-answer'))
const dump = file(
  'tokens.json',
  JSON.stringify([{ ID: 'x', Name: 'a', Type: 'client', Rules: 'key "a" { policy = "readwrite" }' }]),
)

test.each([
  ['fails on a critical finding', [], 3],
  ['nothing fails', ['--fail-on', 'never'], 0],
  ['an unknown severity', ['--fail-on', 'x'], 2],
])('plan: %s', async (_name, argv, code) => {
  expect((await run(['plan', dump, ...argv])).code).toBe(code)
})
