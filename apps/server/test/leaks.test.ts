/**
 * LEAK-01: searches for secrets in all output except the answers that may show them: both output streams at the most
 * verbose level, metrics, self-description, error texts, command line.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ENDPOINTS } from '@latchkey/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'
import { startDatabaseProxy } from './database-proxy.ts'
import { Authority } from './login/certificates.ts'
import { exchange } from './raw-http.ts'
import { startTestServer } from './server.ts'

const MANAGEMENT = 'ca11ab1e-0000-4000-8000-00000000000a'
const KEY = Buffer.alloc(32, 7).toString('base64')
/** Secrets of tokens, and texts presented as secrets. They must not appear anywhere else. */
const SECRETS = [
  MANAGEMENT,
  'ca11ab1e-0000-4000-8000-0000000000b1',
  'ca11ab1e-0000-4000-8000-0000000000b2',
  'CANARY-legacy-secret',
  'CANARY-wrong-secret',
  'CANARY-kv-value',
  'CANARY-client-secret',
  'CANARY-code',
  'CANARY-client-nonce',
  'CANARY-claim',
] as const
const [, CREATED, REFUSED, LEGACY, WRONG, VALUE, CLIENT_SECRET, CODE, CLIENT_NONCE, CLAIM] = SECRETS
/** Secrets created during the test. */
const made: string[] = []

const database = await createTestDatabase()
const proxy = await startDatabaseProxy(database.url)
const server = await startTestServer({
  DATABASE_URL: proxy.url,
  LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
  LATCHKEY_ENCRYPTION_KEYS: `test:${KEY}`,
  // The newest version with the legacy API, whose paths contain secrets.
  LATCHKEY_SERVICE_VERSION: '1.10.12',
  LATCHKEY_LOG_LEVEL: 'trace',
  LATCHKEY_ACCESS_LOG: 'all',
  LATCHKEY_EDITION: 'extended',
  LATCHKEY_AUTH_METHOD_HTTP: 'on',
})
/** Everything written to standard output. */
let stdout = ''
server.process.stdout?.on('data', (data) => {
  stdout += data
})
afterAll(() => proxy.close())

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

/** An OpenID provider that refuses every code and echoes in its errors what it received. */
async function startEchoingProvider() {
  const sent: string[] = []
  const provider = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const isDiscovery = request.url?.endsWith('/.well-known/openid-configuration') === true
    const document = {
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
    }
    const refusal = {
      error: 'invalid_grant',
      error_description: `${request.url} ${request.headers.authorization} ${body}`,
    }
    if (!isDiscovery) sent.push(body)
    response
      .writeHead(isDiscovery ? 200 : 400, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(isDiscovery ? document : refusal))
  })
  await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const close = () => {
    provider.closeAllConnections()
    return new Promise((closed) => provider.close(closed))
  }
  return { url, sent, close }
}

const secretsIn = (text: string) => [...SECRETS, ...made, KEY].filter((secret) => text.includes(secret))

describe('LEAK-01: with every request that could contain a secret', () => {
  /** Error texts, with the requests that they answered. */
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

  test('secrets in legacy paths, including misspelled ones', async () => {
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

  test('login credentials, at providers that echo what they receive', async () => {
    const management = { 'X-Service-Token': MANAGEMENT }
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const provider = await startEchoingProvider()
    const CACert = await new Authority().certificate()
    const reviewer = `${encode({ alg: 'RS256' })}.${encode({ sub: CLAIM })}.c2VjcmV0`
    const bearer = `${encode({ alg: 'ES256' })}.${encode({ sub: CLAIM, iat: 1 })}.c2lnbmF0dXJl`
    made.push(reviewer, bearer)
    const oidc = {
      OIDCDiscoveryURL: provider.url,
      OIDCClientID: 'client',
      OIDCClientSecret: CLIENT_SECRET,
      AllowedRedirectURIs: ['http://localhost:8550/oidc/callback'],
    }
    const kubernetes = { Host: provider.url, CACert, ServiceAccountJWT: reviewer }
    const methods: readonly (readonly [string, string, object])[] = [
      ['people', 'oidc', oidc],
      ['workloads', 'kubernetes', kubernetes],
      ['jobs', 'jwt', { JWKSURL: `${provider.url}/${CLAIM}` }],
    ]
    for (const [Name, Type, Config] of methods) {
      const body = JSON.stringify({ Name, Type, MaxTokenTTL: '1h', Config })
      expect((await send('PUT', '/v1/acl/auth-method?check=false', management, body)).status).toBe(200)
      // Contacts the provider, if it has a URL; its answer echoes the request.
      await ask('PUT', '/v1/acl/auth-method', management, body)
      await ask('PUT', '/v1/acl/auth-method', management, body.replace('"Config":{', '"Config":{"Foo":1,'))
      for (const BearerToken of [bearer, `${bearer}.`, CLAIM]) {
        await ask('POST', '/v1/acl/login', {}, JSON.stringify({ AuthMethod: Name, BearerToken }))
      }
      await ask('POST', '/v1/acl/login', {}, `{"AuthMethod":"${Name}","BearerToken":"${bearer}"`)
      await ask('POST', '/v1/acl/login', {}, `{"AuthMethod":"${bearer}","BearerToken":"x"}`)
    }
    const begin = {
      AuthMethod: 'people',
      RedirectURI: oidc.AllowedRedirectURIs[0],
      ClientNonce: CLIENT_NONCE,
    }
    const callback = async (fields: object) => {
      const response = await send('POST', '/v1/acl/oidc/auth-url', {}, JSON.stringify(begin))
      const { searchParams } = new URL(((await response.json()) as { AuthURL: string }).AuthURL)
      const [State = '', nonce = ''] = ['state', 'nonce'].map((name) => searchParams.get(name) ?? undefined)
      expect([State.length, nonce.length]).toEqual([64, 64])
      made.push(State, nonce)
      const body = { AuthMethod: 'people', State, Code: CODE, ClientNonce: CLIENT_NONCE, ...fields }
      await ask('POST', '/v1/acl/oidc/callback', {}, JSON.stringify(body))
      await ask('POST', '/v1/acl/oidc/callback', {}, JSON.stringify(body).slice(1))
      await ask('POST', '/v1/acl/oidc/callback', {}, JSON.stringify({ ...body, State: 5 }))
    }
    for (const fields of [{}, { ClientNonce: 'another' }, { Iss: CLAIM }, { AuthMethod: 'jobs' }]) {
      await callback(fields)
    }
    const { sent } = provider
    made.push(...sent.flatMap((body) => new URLSearchParams(body).get('code_verifier') ?? []))
    expect(sent.filter((body) => body.includes(CODE)).length).toBeGreaterThan(0)
    await provider.close()
    for (const [Name] of methods) {
      const read = await send('GET', `/v1/acl/auth-method/${Name}`, management)
      if (Name !== 'jobs') expect(secretsIn(await read.text())).not.toEqual([])
    }
  })

  test('malformed requests', async () => {
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

  test('no secret is in an error', () => {
    for (const [request, text] of refusals) expect(secretsIn(text), `${request}: ${text}`).toEqual([])
  })

  test('no secret is in the outputs of the server, and the log has a line for each request', async () => {
    await expect.poll(() => server.log.length).toBeGreaterThan(asked)
    expect(secretsIn(stdout)).toEqual([])
    expect(server.log.filter((line) => secretsIn(line).length > 0)).toEqual([])
    const { password } = new URL(database.url)
    if (password !== '') expect(server.log.filter((line) => line.includes(password))).toEqual([])
  })
})

describe('no secret is in the self-description of the server', () => {
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

test('no secret is in the command line or title of the process', () => {
  const pid = server.process.pid ?? 0
  const shown = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/comm`, 'utf8')
  expect(secretsIn(shown)).toEqual([])
})

test('the search can find secrets: answers that may show them do', async () => {
  const list = await send('GET', '/v1/acl/tokens', { 'X-Service-Token': MANAGEMENT })
  expect(secretsIn(await list.text())).toEqual(expect.arrayContaining([MANAGEMENT, CREATED, LEGACY]))
})
