import { expect, test } from 'vitest'
import { mockedLine } from '../test/run.ts'

const { client, run } = mockedLine()

async function offers(...words: string[]): Promise<string[]> {
  return (await run(['__complete', '--', ...words])).stdout.trim().split('\n')
}

test('completes words, verbs, options and choices, after other options too', async () => {
  expect(await offers('po')).toEqual(['policy'])
  expect(await offers('role', '')).toEqual(['clone', 'create', 'delete', 'list', 'read', 'update'])
  expect(await offers('token', 'create', '--tt')).toEqual(['--ttl'])
  expect(await offers('policy', 'list', '--output', '')).toEqual(['json', 'ndjson', 'table', 'yaml'])
  // Options before a command, and short ones, take their values.
  expect(await offers('-o', 'js')).toEqual(['json'])
  expect(await offers('--output', 'json', 'po')).toEqual(['policy'])
  expect(await offers('-n', 'default', 'policy', 're')).toEqual(['read'])
  expect(await offers('policy', '-n', 'default', 'read', 'global')).toEqual(['global-management'])
  expect(await offers('policy', '--yes', 're')).toEqual(['read'])
})

test('completes the names of records, as arguments and as values of options', async () => {
  await client.policies.create({ Name: 'orders-read' })
  expect(await offers('policy', 'read', 'ord')).toEqual(['orders-read'])
  expect(await offers('role', 'update', 'shop', '--add-policy', 'ord')).toEqual(['orders-read'])
})

test('offers nothing, and no error, if the service does not answer', async () => {
  const { code, stdout, stderr } = await run(['__complete', '--', 'policy', 'read', ''], {
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  })
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
})

test.each(['bash', 'zsh', 'fish'])('prints a script for %s that asks the command line', async (shell) => {
  expect((await run(`completion ${shell}`)).stdout).toContain('latchkey __complete --')
})
