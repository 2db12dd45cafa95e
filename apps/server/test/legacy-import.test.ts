/** `latchkey-server import` and `latchkey-server export` against a server process. */

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serverMain } from '@latchkey/testkit/process/server-build'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { describe, expect, test } from 'vitest'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

const directory = temporaryFolder('import')
const file = join(directory, 'legacy.json')
const server = await startTestServer({ LATCHKEY_SERVICE_VERSION: '1.3.0' })

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

async function latchkey(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const all = { ...process.env, LATCHKEY_ADDR: server.url, LATCHKEY_TOKEN: MANAGEMENT, ...env }
  const run = promisify(execFile)(process.execPath, [serverMain(), ...args], { env: all, maxBuffer: 2 ** 26 })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

/** Each test uses its own secrets. */
const aLegacy = (test: string, number: number, fields: object = {}) => ({
  ID: `${test} ${number}`,
  Name: `name ${number}`,
  Type: number % 10 === 0 ? 'management' : 'client',
  Rules: number % 10 === 0 ? '' : 'key "app" { policy = "read" }',
  CreateIndex: number + 1,
  ModifyIndex: 0,
  ...fields,
})
const aDump = (test: string, count: number) => Array.from({ length: count }, (_, i) => aLegacy(test, i))

/** The tokens of a test on the server. */
async function imported(test: string): Promise<{ ID: string }[]> {
  const { body } = await server.call('GET', '/acl/list', { token: MANAGEMENT })
  return body.filter(({ ID }: { ID: string }) => ID.startsWith(`${test} `))
}

const byId = (a: { ID: string }, b: { ID: string }) => (a.ID < b.ID ? -1 : 1)

test('a list of several parts is imported, exported unchanged, and unaffected by a second import', async () => {
  const dump = aDump('whole', 2_500)
  writeFileSync(file, JSON.stringify(dump, undefined, 1))
  expect(await latchkey(['import', file])).toEqual({
    code: 0,
    stdout: '2500 tokens imported, 0 existed already.\n',
    stderr: '',
  })
  const written = await latchkey(['export'])
  expect([written.code, written.stderr]).toEqual([0, ''])
  const all: ReturnType<typeof aDump> = JSON.parse(written.stdout)
  const own = all.filter(({ ID }) => ID.startsWith('whole ')).map((token) => ({ ...token, ModifyIndex: 0 }))
  expect(own.toSorted(byId)).toEqual(dump.toSorted(byId))
  writeFileSync(file, written.stdout)
  const again = await latchkey(['import', file])
  expect(again.stdout).toBe(`0 tokens imported, ${all.length} existed already.\n`)
})

describe('nothing is imported', () => {
  test('if any record is invalid: every problem with its position in the file, exit code 1', async () => {
    await server.call('PUT', '/acl/create', { token: MANAGEMENT, body: { ID: 'bad 1', Name: 'other' } })
    const dump = aDump('bad', 2_500)
    dump[1_700] = aLegacy('bad', 1_700, { Type: 'admin' })
    dump[2_300] = aLegacy('bad', 3)
    dump[2_400] = aLegacy('bad', 2_400, { Rules: 'acl = "write"', Type: 'client' })
    writeFileSync(file, JSON.stringify(dump))
    const { code, stdout, stderr } = await latchkey(['import', file])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.split('\n')).toEqual([
      'error: [1].ID is the secret of a token that exists with other content',
      'error: [1700].Type is neither "client" nor "management"',
      expect.stringMatching(/^warning: \[2400\]\.Rules line 1, column 1: /),
      'error: [2300].ID is the same as [3].ID',
      `Nothing was imported: 3 errors in ${file}.`,
      '',
    ])
    expect(await imported('bad')).toHaveLength(1)
  })

  test('if the file is truncated: the line and byte, but no secret', async () => {
    const text = JSON.stringify(aDump('canary', 1_200), undefined, 1)
    writeFileSync(file, text.slice(0, -20))
    const { code, stderr } = await latchkey(['import', file])
    expect(code).toBe(1)
    const place =
      /legacy\.json, line \d+, byte \d+: the dump is cut off inside token 1199, which begins here\n$/
    expect(stderr).toMatch(place)
    expect(stderr).not.toContain('canary')
    expect(await imported('canary')).toEqual([])
  })

  test('by a token without the right, or without a server', async () => {
    writeFileSync(file, JSON.stringify(aDump('denied', 1)))
    const refused = await latchkey(['import', file], { LATCHKEY_TOKEN: '' })
    expect([refused.code, refused.stderr.slice(0, 17)]).toEqual([1, 'Permission denied'])
    const unreachable = await latchkey(['import', file], { LATCHKEY_ADDR: 'http://127.0.0.1:1' })
    expect(unreachable).toEqual({
      code: 1,
      stdout: '',
      stderr: 'No server answers at http://127.0.0.1:1: start one, or set LATCHKEY_ADDR.\n',
    })
    const exported = await latchkey(['export'], { LATCHKEY_TOKEN: '' })
    expect([exported.code, exported.stdout, exported.stderr.slice(0, 17)]).toEqual([
      1,
      '',
      'Permission denied',
    ])
    expect(await imported('denied')).toEqual([])
  })

  test('of a file that cannot be read', async () => {
    expect((await latchkey(['import', directory])).stderr).toBe(`${directory} is not a file.\n`)
    expect((await latchkey(['import', `${file}.not`])).stderr).toContain('cannot be read')
  })
})
