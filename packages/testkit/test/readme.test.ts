import { fileURLToPath } from 'node:url'
import { runReadmeExample } from '@latchkey/testkit/process/readme-example'
import { expect, test } from 'vitest'

test('the example of README.md prints what the page says', () => {
  const { printed, shown } = runReadmeExample(fileURLToPath(new URL('..', import.meta.url)))
  expect(printed).toBe(shown)
})
