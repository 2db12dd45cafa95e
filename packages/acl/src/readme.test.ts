/// <reference types="node" />
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

test('the example of README.md prints what the page says', () => {
  const page = readFileSync(`${PACKAGE}/README.md`, 'utf8')
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? []
  const [, shown] = /^```text\n([\s\S]*?)^```$/m.exec(page) ?? []
  const args = ['--input-type=module-typescript', '--eval', code]
  expect(execFileSync(process.execPath, args, { cwd: PACKAGE, encoding: 'utf8' })).toBe(shown)
})
