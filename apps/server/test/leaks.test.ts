/**
 * LEAK-01: secrets are looked for in everything that a server gives out besides the answers that may show them: its two
 * outputs at the most talkative level, its metrics, what it says of itself, its error texts, its command line.
 */
import { readFileSync } from 'node:fs'
import { ENDPOINTS } from '@latchkey/contract'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'
import { exchange } from './raw-http.ts'

const MANAGEMENT = 'ca11ab1e-0000-4000-8000-00000000000a'
const KEY = Buffer.alloc(32, 7).toString('base64')
/** Secrets of tokens, and texts that are presented as such. Each stands nowhere else. */
const SECRETS = [
  MANAGEMENT,
  'ca11ab1e-0000-4000-8000-0000000000b1',
  'ca11ab1e-0000-4000-8000-0000000000b2',
  'CANARY-legacy-secret',
  'CANARY-wrong-secret',
  'CANARY-kv-value',
] as const
const [, CREATED, REFUSED, LEGACY, WRONG, VALUE] = SECRETS

let database: TestDatabase
let proxy: DatabaseProxy
let server: RunningServer
/** What came on standard output. */
let stdout = ''

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startDatabaseProxy(database.url)
  server = await runServer({
    DATABASE_URL: proxy.url,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
    LATCHKEY_ENCRYPTION_KEYS: `test:${KEY}`,
    // The newest version that has the legacy API, whose paths hold secrets.
    LATCHKEY_SERVICE_VERSION: '1.10.12',
    LATCHKEY_LOG_LEVEL: 'trace',
  })
  server.process.stdout?.on('data', (data) => {
    stdout += data
  })
})
afterAll(async () => {
  await server.stop('SIGKILL')
  await proxy.close()
  await database.drop()
})

function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Response> {
  return fetch(`${server.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
}

/** The ways to present a credential, each with its path and headers. */
function presenting(path: string, secret: string): readonly (readonly [string, Record<string, string>])[] {
  const query = `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(secret)}`
  return [
    [query, {}],
    [path, { 'X-Service-Token': secret }],
    [path, { 'X-Consul-Token': secret }],
    [path, { Authorization: `Bearer ${secret}` }],
  ]
}

const secretsIn = (text: string) => [...SECRETS, KEY].filter((secret) => text.includes(secret))

describe('LEAK-01: with every request that could carry one', () => {
  /** Error texts, by what they answered. */
  const refusals: [string, string][] = []
  let asked = 0

  async function ask(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<void> {
    asked += 1
    const accept = asked % 2 === 0 ? 'application/problem+json' : '*/*'
    const response = await send(method, path, { Accept: accept, ...headers }, body)
    const text = await response.text()
    if (response.status >= 400) refusals.push([`${method} ${path}`, text])
  }

  test('credentials, good and bad, in every place, at every endpoint', async () => {
    const management = { 'X-Service-Token': MANAGEMENT }
    await send('PUT', '/v1/acl/token', management, JSON.stringify({ SecretID: CREATED }))
    await send('PUT', '/v1/acl/create', management, JSON.stringify({ ID: LEGACY, Type: 'client' }))
    await send('PUT', '/v1/kv/a', management, VALUE)
    for (const { method, path } of Object.values(ENDPOINTS)) {
      const at = `/v1${path.replace(/:\w+/, 'ca11ab1e-0000-4000-8000-0000000000ff')}`
      for (const secret of [CREATED, WRONG]) {
        for (const [url, headers] of presenting(at, secret)) await ask(method, url, headers)
      }
    }
    expect(refusals.length).toBeGreaterThan(200)
  })

  test('secrets in legacy paths, also where they are misspelt', async () => {
    const legacy = encodeURIComponent(LEGACY)
    for (const [method, path] of [
      ['GET', '/v1/acl/info/'],
      ['PUT', '/v1/acl/clone/'],
      ['GET', '/v1/acl/destroy/'],
      ['GET', '/v1/acl//info/'],
      ['GET', '//v1/acl/info/'],
      ['GET', '/acl/info/'],
      ['GET', '/v1/acl/Info/'],
      ['GET', '/v1/acl/infos/'],
      ['GET', '/%761/acl/info/'],
    ] as const) {
      await ask(method, `${path}${legacy}`, {})
      await ask(method, `${path}${legacy}?token=${WRONG}`, {})
    }
  })

  test('secrets in bodies that are refused', async () => {
    const management = { 'X-Service-Token': MANAGEMENT }
    for (const [method, path, body] of [
      ['PUT', '/v1/acl/token', `{"SecretID":"${REFUSED}"`],
      ['PUT', '/v1/acl/token', `{"SecretID":"${REFUSED}","Foo":1}`],
      ['PUT', '/v1/acl/token', `{"SecretID":"${REFUSED}","Local":"x"}`],
      ['PUT', '/v1/acl/token', `{"SecretID":"${REFUSED}","ExpirationTTL":"1s"}`],
      ['PUT', '/v1/acl/token', `{"SecretID":"${CREATED}"}`],
      ['PUT', '/v1/acl/token', `{"SecretID":"${WRONG}"}`],
      ['PUT', '/v1/acl/create', `{"ID":"${LEGACY}","Type":"none"}`],
      ['PUT', '/v1/acl/create', `{"ID":"${LEGACY}","Rules":"key {"}`],
      [
        'PUT',
        '/v1/internal/acl/legacy-tokens',
        `[{"ID":"${LEGACY}","Type":"management"},{"ID":"${LEGACY}"}]`,
      ],
      ['PUT', '/v1/internal/acl/legacy-tokens', `[{"ID":"${WRONG}",}]`],
      ['PUT', '/v1/kv/a?cas=1&flags=x', VALUE],
    ] as const) {
      await ask(method, path, management, body)
      await ask(method, path, {}, body)
    }
  })

  test('requests that are no requests', async () => {
    const port = Number(new URL(server.url).port)
    for (const bytes of [
      `GET /v1/acl/info/${LEGACY} HTTP/1.1\r\n\r\n`,
      `GET /v1/acl/tokens HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${WRONG}\0\r\n\r\n`,
      `GET /v1/acl/tokens?token=${WRONG} HTTP/9.9\r\n\r\n`,
      `PUT /v1/acl/token HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${MANAGEMENT}\r\nContent-Length: 99\r\n\r\n{"SecretID":"${REFUSED}`,
    ]) {
      await exchange(port, [bytes], { waitMs: 100 })
    }
  })

  test('while the database does not answer', async () => {
    proxy.freeze()
    while ((await send('GET', '/readyz')).status === 200)
      await new Promise((resolve) => setTimeout(resolve, 50))
    const management = { 'X-Service-Token': MANAGEMENT }
    await Promise.all([
      ask('PUT', '/v1/acl/token', management, `{"SecretID":"${REFUSED}"}`),
      ask('PUT', '/v1/acl/create', management, `{"ID":"${LEGACY}"}`),
      ask('PUT', '/v1/kv/a', management, VALUE),
      ask('GET', `/v1/acl/token/self?token=${WRONG}`, {}),
      ask('GET', `/v1/acl/info/${encodeURIComponent(LEGACY)}`, {}),
    ])
    proxy.heal()
    while ((await send('GET', '/readyz')).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 50))
  })

  test('none is in an error', () => {
    for (const [request, text] of refusals) expect(secretsIn(text), `${request}: ${text}`).toEqual([])
  })

  test('none is in its outputs, and the log has a line for each', async () => {
    await expect.poll(() => server.log.length).toBeGreaterThan(asked)
    expect(secretsIn(stdout)).toEqual([])
    expect(server.log.filter((line) => secretsIn(line).length > 0)).toEqual([])
    const { password } = new URL(database.url)
    if (password !== '') expect(server.log.filter((line) => line.includes(password))).toEqual([])
  })
})

describe('none is in what it says of itself', () => {
  test.each([
    '/v1/agent/self',
    '/v1/agent/members',
    '/v1/agent/metrics',
    '/v1/agent/metrics?format=prometheus',
    '/v1/status/peers',
    '/v1/internal/acl/migration',
    '/v1/openapi.json',
    '/readyz',
    '/docs',
  ])('%s', async (path) => {
    const response = await send('GET', path, { 'X-Service-Token': MANAGEMENT })
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(secretsIn(text)).toEqual([])
    expect(text).not.toContain(new URL(database.url).password || 'no password')
  })
})

test('none is in its command line or title', () => {
  const pid = server.process.pid ?? 0
  const shown = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/comm`, 'utf8')
  expect(secretsIn(shown)).toEqual([])
})

test('the test can fail: the answers that may show them do', async () => {
  const list = await send('GET', '/v1/acl/tokens', { 'X-Service-Token': MANAGEMENT })
  expect(secretsIn(await list.text())).toEqual(expect.arrayContaining([MANAGEMENT, CREATED, LEGACY]))
})
