import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('the first example of the README is the tested one', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const example = readFileSync(join(import.meta.dirname, 'first-example.test.ts'), 'utf8')
  expect(/```ts\n([\s\S]*?)```/.exec(readme)?.[1]).toBe(example)
})
