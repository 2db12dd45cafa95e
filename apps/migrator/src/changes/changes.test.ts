import { expect, test } from 'vitest'
import { version } from '../version.ts'
import { formatChanges, formatChangesMarkdown, listChanges } from './changes.ts'

test('changes come from the gates of the contract, by version', () => {
  const result = listChanges(version('1.10.0'), version('1.11.0'))
  expect(result.changes.map(({ gate }) => gate)).toContain('api.legacy')
  expect(formatChanges(result)).toMatch(/^From 1\.10\.0 to 1\.11\.0[\s\S]*\n\n1\.11\n {2}! /)
  expect(formatChangesMarkdown(result)).toContain('| **yes** |')
})

test('nothing changes from a version to itself', () => {
  expect(formatChanges(listChanges(version('1.8.0'), version('1.8.0')))).toBe(
    'Nothing changes from 1.8.0 to 1.8.0.\n',
  )
})
