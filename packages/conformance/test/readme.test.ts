import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readArguments } from '../src/arguments.ts'

const root = join(import.meta.dirname, '../../..')
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

test('the first example of the README is an existing command with valid options', () => {
  const [, command = ''] = /```sh\nnpx -y pnpm@12 (.+)\n```/.exec(readme) ?? []
  const [script = '', ...args] = command.replaceAll('"', '').replace('$LATCHKEY_TOKEN', 'secret').split(' ')
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(scripts[script]).toMatch(/&& node packages\/conformance\/src\/main\.ts$/)
  expect(readArguments(args, {})).toMatchObject({
    url: 'http://127.0.0.1:8500',
    token: 'secret',
    report: 'text',
  })
})

test('the case of the README is one of the cases, as shown', () => {
  const [, shown = ''] = /```ts\n([\s\S]+?)```/.exec(readme) ?? []
  const source = readFileSync(join(import.meta.dirname, '../src/cases/tokens/clone-delete.ts'), 'utf8')
  expect(source).toContain(shown.replace(/^(?=.)/gm, '  '))
})
