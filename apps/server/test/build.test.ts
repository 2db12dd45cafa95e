import { isBuildCurrent } from '@latchkey/testkit/process/server-build'
import { expect, test } from 'vitest'

test('the servers of the tests run the current build', () => {
  expect(isBuildCurrent(), 'run: pnpm --filter @latchkey/server build').toBe(true)
})
