import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { errorOf } from '../../test/at-once.ts'
import { CALLER_SECRET, clientOf } from '../../test/client.ts'
import { ACCESSOR_ID, aToken, SECRET_ID } from '../../test/records.ts'
import { plain, problem, type Reply, reset, startServer } from '../../test/test-server.ts'
import { createClient } from '../client.ts'
import { redact } from './secrets.ts'

const LEGACY_SECRET = 'a legacy "secret"/with ünusual text'
const SECRETS = [CALLER_SECRET, SECRET_ID, LEGACY_SECRET]

/** The likely ways to print an error or a client. */
function printed(value: unknown): string {
  const own = value instanceof Error ? [value.message, value.stack, inspect(value.cause, { depth: 9 })] : []
  const depth = { depth: 9, showHidden: true, getters: true }
  return [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: 9 }),
    inspect(value, depth),
    ...own,
  ].join('\n')
}

function expectNoSecret(value: unknown): void {
  for (const secret of SECRETS) {
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      expect(printed(value)).not.toContain(form)
    }
  }
}

/** Echoes the request: URL, body and headers. */
function echo(status: number, contentType: string): Reply {
  return (response, request) => {
    const heard = `${decodeURIComponent(request.url)} ${request.url} ${request.body} ${request.headers['x-service-token']}`
    const members = {
      detail: heard,
      title: heard,
      field: heard,
      requestId: heard,
      accessorId: heard,
      code: 'x_y',
    }
    const missing = { resource: heard, segment: heard, access: heard }
    const body = contentType === 'application/problem+json' ? JSON.stringify({ ...members, missing }) : heard
    response.writeHead(status, { 'Content-Type': contentType, 'X-Request-Id': CALLER_SECRET })
    response.end(body)
  }
}

const calls: readonly [string, (client: ReturnType<typeof clientOf>) => Promise<unknown>][] = [
  ['create', (client) => client.tokens.create({ SecretID: SECRET_ID })],
  ['update', (client) => client.tokens.update(ACCESSOR_ID, aToken({ Description: SECRET_ID }))],
  ['legacy info', (client) => client.legacy.info(LEGACY_SECRET)],
  ['legacy create', (client) => client.legacy.create({ ID: LEGACY_SECRET })],
  [
    'legacy import',
    (client) =>
      client.legacy.import([
        { ID: LEGACY_SECRET, Name: '', Type: 'client', Rules: '', CreateIndex: 1, ModifyIndex: 1 },
      ]),
  ],
]
const answers: readonly [string, Reply][] = [
  ['problem details with 403', echo(403, 'application/problem+json')],
  ['problem details with 503', echo(503, 'application/problem+json')],
  ['a web page with 404', echo(404, 'text/html')],
  ['no JSON with 200', echo(200, 'application/json')],
  ['text with 200', echo(200, 'text/plain')],
  ['a reset connection', reset()],
]

for (const [name, call] of calls) {
  test.each(answers)(`no error of ${name} repeats a secret, though the answer is %s`, async (_, reply) => {
    await using server = await startServer(reply)
    const error = await errorOf(call(clientOf(server, { retries: 0 })))
    expect(error).toHaveProperty('kind')
    expectNoSecret(error)
  })
}

test('errors omit a secret that create generated', async () => {
  await using server = await startServer(echo(400, 'text/plain'))
  const error = await errorOf(clientOf(server).tokens.create())
  const { SecretID } = JSON.parse(server.requests[0]?.body ?? '')
  expect(SecretID).toMatch(/^[0-9a-f-]{36}$/)
  expect(printed(error)).not.toContain(SecretID)
})

test('redacts a secret before truncating a long text', async () => {
  await using server = await startServer(plain(403, `${'x'.repeat(480)}${CALLER_SECRET}`))
  const error = await errorOf(clientOf(server).tokens.self())
  expect(error.message).not.toContain(CALLER_SECRET.slice(0, 8))
})

test('a secret of one letter leaves the code as it is', async () => {
  await using server = await startServer(problem(403, 'privilege_missing'))
  const error = await errorOf(clientOf(server).withToken('i').tokens.self())
  expect(error).toHaveProperty('code', 'privilege_missing')
})

test('an error of an injected fetch that carries the request is reduced to name, message and code', async () => {
  const fetch = async (url: string, init: RequestInit): Promise<never> => {
    const token = new Headers(init.headers).get('X-Service-Token')
    throw Object.assign(new Error(`failed with ${token}`), { code: 'EODD', config: { url, init, token } })
  }
  const client = clientOf({ address: 'http://127.0.0.1:1' }, { fetch, retries: 0 })
  const error = await errorOf(client.tokens.self())
  expect(error).toMatchObject({ kind: 'unavailable', cause: { code: 'EODD' } })
  expectNoSecret(error)
})

test('a client shows no secret, whole or in parts', () => {
  const client = createClient({ address: 'http://127.0.0.1:1', token: CALLER_SECRET, env: false })
  for (const part of [client, client.tokens, client.kv, client.withMeta(), client.withToken(SECRET_ID)]) {
    expectNoSecret(part)
  }
  expect(JSON.parse(JSON.stringify(client.withNamespace('team')))).toEqual({
    address: 'http://127.0.0.1:1',
    namespace: 'team',
  })
})

test.each(['line\nbreak', 'tab\tin', ' space before', 'space after ', 'snow ☃', 'nul\0'])(
  'a token that cannot be sent in a header is a TypeError that does not repeat it: %j',
  async (token) => {
    const options = { address: 'http://127.0.0.1:1', env: false }
    expect(() => createClient({ ...options, token })).toThrow(TypeError)
    const error = await errorOf(createClient({ ...options, token: () => token }).tokens.self())
    expect(error).toBeInstanceOf(TypeError)
    expect(printed(error)).not.toContain(token.trim())
  },
)

test('redacts the JSON and URL forms, and the longest secret first', () => {
  expect(redact('ab abc a%2Fb "a\\"b"', ['ab', 'abc', 'a/b', 'a"b', ''])).toBe(
    '<hidden> <hidden> <hidden> "<hidden>"',
  )
})
