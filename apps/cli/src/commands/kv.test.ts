/** Keys, against the mocks. */
import { beforeEach, expect, test } from 'vitest'
import { mockedLine } from '../../test/run.ts'
import { EXIT } from '../frame/cli-error.ts'

const { service, run } = mockedLine({ seed: { kv: { 'web/port': '8080', 'web/host': 'a' } } })
const ACCESSOR = '11111111-2222-4333-8444-555555555555'
beforeEach(() => service.reset())

test.each(['kv delete web/port', 'kv delete web/ --recurse'])(
  '%s deletes nothing without a terminal: 64; and with --yes it does',
  async (line) => {
    const refused = await run(line)
    expect(refused.code, refused.stderr).toBe(EXIT.usage)
    expect(refused.stderr).toContain('--yes')
    expect(await run('kv get web/port')).toMatchObject({ code: EXIT.done })
    expect(await run(`${line} --yes`)).toMatchObject({ code: EXIT.done })
    expect(await run('kv get web/port')).toMatchObject({ code: EXIT.notFound })
  },
)

test.each([
  ['kv delete web/none --yes', EXIT.notFound, 'there is no key "web/none"'],
  ['kv delete web/port --cas 1 --yes', EXIT.conflict, 'web/port changed in the meantime'],
  // It would delete whatever has changed.
  ['kv delete web/ --recurse --cas 1 --yes', EXIT.usage, '--cas is of one key'],
])('%s deletes nothing: %i', async (line, exitCode, message) => {
  const { code, stderr } = await run(line)
  expect(code).toBe(exitCode)
  expect(stderr).toContain(message)
  expect((await run('kv list')).stdout).toBe('web/host\nweb/port\n')
})

test.each(['/a', '/', 'a//b'])('the key %s is written, listed, read and deleted', async (key) => {
  expect(await run(['kv', 'put', key, 'v'])).toMatchObject({ code: EXIT.done })
  expect((await run(['kv', 'list', key])).stdout).toBe(`${key}\n`)
  expect((await run(['kv', 'get', key])).stdout).toBe('v')
  expect(await run(['kv', 'delete', key, '--yes'])).toMatchObject({ code: EXIT.done })
  expect(await run(['kv', 'get', key])).toMatchObject({ code: EXIT.notFound })
})

test.each([
  ['kv put web/port', '9090'],
  ['kv put web/port -', '9090'],
  ['kv put web/port @@x', '@x'],
])('%s writes %s', async (line, value) => {
  expect(await run(line, { stdin: '9090' })).toMatchObject({ code: EXIT.done })
  expect((await run('kv get web/port')).stdout).toBe(value)
})

test.each([
  ['Ctrl-D at a question', 'kv delete web/port', '\u0004', undefined],
  ['Ctrl-C at a question', 'kv delete web/port', '\u0003', undefined],
  ['Ctrl-C while standard input is read', 'kv put web/port', 'half', AbortSignal.abort()],
])('%s changes nothing: 130', async (_, line, typed, signal) => {
  expect(await run(line, { typed, ...(signal ? { signal } : {}) })).toMatchObject({ code: EXIT.interrupted })
  expect((await run('kv get web/port')).stdout).toBe('8080')
})

test('a redirect is reported in a whole sentence: 1', async () => {
  const fetch = async () => new Response(null, { status: 301, headers: { Location: '/elsewhere' } })
  const { code, stderr } = await run('kv list web/', { fetch })
  expect(code).toBe(EXIT.failed)
  expect(stderr).toMatch(/^error: The answer is a redirect, which is not followed/)
})

test('kv list: a terminal gets no control sequences of a key, a script gets the key as it is', async () => {
  const key = 'web/\u001b[2J\u009b2Jx\n\u202ey'
  const { code } = await run('txn -', {
    stdin: JSON.stringify([{ KV: { Verb: 'set', Key: key, Value: 'QQ==' } }]),
  })
  expect(code).toBe(EXIT.done)
  expect((await run('kv list web/', { isTTY: true })).stdout).toContain('web/\ufffd[2J\ufffd2Jx⏎\ufffdy\n')
  expect((await run('kv list web/')).stdout).toContain(`${key}\n`)
})

const HOSTILE = 'a\u001b[2J\u001b]0;t\u0007\u009b2J\u202eb'
const ESCAPES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/

test('kv get: a terminal gets no control sequences of a value, a file gets its bytes', async () => {
  await run(['kv', 'put', 'web/hostile', HOSTILE])
  expect((await run('kv get web/hostile')).stdout).toBe(HOSTILE)
  expect((await run('kv get web/hostile', { isTTY: true })).stdout).toBe(
    'a\ufffd[2J\ufffd]0;t\ufffd\ufffd2J\ufffdb\n',
  )
  expect((await run('kv get web/hostile --details')).stdout).not.toMatch(ESCAPES)
})

test('no refusal, remark, question or finding shows control sequences of others, and own colours stay', async () => {
  const problem = { status: 400, code: 'field_invalid', detail: HOSTILE, title: HOSTILE }
  const refusing = async () =>
    Response.json(problem, { status: 400, headers: { 'Content-Type': 'application/problem+json' } })
  const refused = await run('kv put web/x 1', { fetch: refusing })
  expect(refused.stderr).toContain('error: a\ufffd[2J')
  expect(refused.stderr).not.toMatch(ESCAPES)
  await run(['token', 'create', '--description', HOSTILE, '--accessor', ACCESSOR])
  const { SecretID: read } = JSON.parse((await run(`token read ${ACCESSOR} --show-secret -o json`)).stdout)
  const loggedIn = await run(['login', service.baseUrl], { stdin: read })
  expect(loggedIn.stderr).toContain('(a\ufffd[2J')
  expect(loggedIn.stderr + (await run(`token delete ${ACCESSOR}`)).stderr).not.toMatch(ESCAPES)
  const linted = await run(['lint', '-'], {
    stdin: `key "${HOSTILE}" { polic = "read" }`,
    env: { FORCE_COLOR: '1' },
  })
  expect(linted.stdout).toContain('\u001b[31merror\u001b[39m')
  expect(linted.stdout.replaceAll(/\u001b\[3[19]m/g, '')).not.toMatch(ESCAPES)
})
