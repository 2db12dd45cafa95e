import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { afterEach, expect, test, vi } from 'vitest'
import { CALLER_SECRET, clientOf } from '../test/client.ts'
import { aToken } from '../test/records.ts'
import { json, problem, startServer, type TestServer } from '../test/test-server.ts'
import { createClient } from './client.ts'
import { PRODUCT_VERSION } from './contract.ts'

const folder = temporaryFolder('sdk')
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

function tokenSeen(server: TestServer): string | string[] | undefined {
  return server.requests.at(-1)?.headers['x-service-token']
}

test('reads address, which needs no scheme, and token from the environment', async () => {
  await using server = await startServer(json(aToken()))
  vi.stubEnv('LATCHKEY_ADDR', server.address.replace('http://', ''))
  vi.stubEnv('LATCHKEY_TOKEN', 'from-env')
  await createClient().tokens.self()
  expect(tokenSeen(server)).toBe('from-env')
})

test('options win over the environment, LATCHKEY_TOKEN over LATCHKEY_TOKEN_FILE', async () => {
  await using server = await startServer(json(aToken()))
  vi.stubEnv('LATCHKEY_ADDR', 'http://127.0.0.1:1')
  vi.stubEnv('LATCHKEY_TOKEN', 'from-env')
  vi.stubEnv('LATCHKEY_TOKEN_FILE', '/does/not/exist')
  const { address } = server
  await createClient({ address, token: 'from-option' }).tokens.self()
  expect(tokenSeen(server)).toBe('from-option')
  await createClient({ address }).tokens.self()
  expect(tokenSeen(server)).toBe('from-env')
})

test('reads the token file before each attempt, without its newline', async () => {
  await using server = await startServer(json(aToken()))
  const file = join(folder, 'token')
  vi.stubEnv('LATCHKEY_TOKEN', '')
  vi.stubEnv('LATCHKEY_TOKEN_FILE', file)
  writeFileSync(file, 'first\n')
  const client = createClient({ address: server.address })
  await client.tokens.self()
  expect(tokenSeen(server)).toBe('first')
  writeFileSync(file, 'second\n')
  await client.tokens.self()
  expect(tokenSeen(server)).toBe('second')
})

test.each([
  ['empty', (file: string) => writeFileSync(file, '')],
  ['absent', (file: string) => rmSync(file)],
])('while the token file is replaced, and %s, the token that it held is presented', async (_, replace) => {
  await using server = await startServer(json(aToken()))
  const file = join(folder, 'replaced')
  vi.stubEnv('LATCHKEY_TOKEN', '')
  vi.stubEnv('LATCHKEY_TOKEN_FILE', file)
  writeFileSync(file, 'first\n')
  const client = createClient({ address: server.address })
  await client.tokens.self()
  replace(file)
  await client.tokens.self()
  expect(tokenSeen(server)).toBe('first')
})

test('a missing token file is an error with its path', async () => {
  vi.stubEnv('LATCHKEY_TOKEN', '')
  vi.stubEnv('LATCHKEY_TOKEN_FILE', '/does/not/exist')
  await expect(createClient({ address: 'http://127.0.0.1:1' }).tokens.self()).rejects.toThrow(
    /\/does\/not\/exist/,
  )
})

test('env: false reads nothing', async () => {
  await using server = await startServer(json(aToken()))
  vi.stubEnv('LATCHKEY_ADDR', 'http://127.0.0.1:1')
  vi.stubEnv('LATCHKEY_TOKEN', 'from-env')
  await createClient({ address: server.address, env: false }).tokens.self()
  expect(tokenSeen(server)).toBeUndefined()
  expect(() => createClient({ env: false })).toThrow(TypeError)
})

test('reads nothing in a page, even with a process object', async () => {
  await using server = await startServer(json(aToken()))
  vi.stubEnv('LATCHKEY_ADDR', server.address)
  vi.stubGlobal('document', {})
  expect(() => createClient()).toThrow(/LATCHKEY_ADDR/)
})

test.each([
  ['no URL', 'http://exa mple'],
  ['another protocol', 'ftp://example.com'],
  ['credentials', 'https://user:hush@example.com'],
  ['a query', 'https://example.com/?token=hush'],
  ['a fragment', 'https://example.com/#hush'],
])('an address with %s is a TypeError that does not repeat it', (_, address) => {
  expect(() => createClient({ address, env: false })).toThrow(TypeError)
  expect(() => createClient({ address, env: false })).not.toThrow(/hush/)
})

test.each([
  { timeout: 0 },
  { attemptTimeout: -1 },
  { timeout: Number.NaN },
  { retries: -1 },
  { waitSlice: 0 },
])('an option out of its bounds is a TypeError that names it: %j', (options) => {
  const [name = ''] = Object.keys(options)
  expect(() => createClient({ address: 'http://127.0.0.1:1', env: false, ...options })).toThrow(name)
})

test('a token source is asked before each attempt, and an anonymous client sends no token', async () => {
  await using server = await startServer(json(aToken()))
  const secrets = ['one', 'two']
  const client = clientOf(server, { token: async () => secrets.shift() })
  for (const secret of ['one', 'two', undefined]) {
    await client.tokens.self()
    expect(tokenSeen(server)).toBe(secret)
  }
})

test('a call whose secret was rotated is repeated with the current one, and so is a watch', async () => {
  let current: string | undefined = 'first'
  await using server = await startServer((response, request) => {
    if (request.headers['x-service-token'] === 'second') {
      return json(aToken(), { 'X-Service-Index': 7 })(response, request)
    }
    current = 'second'
    return problem(403, 'caller_unknown')(response, request)
  })
  const client = clientOf(server, { token: () => current })
  await client.tokens.self()
  current = 'first'
  const watch = client.tokens.watch(ACCESSOR)
  expect((await watch.next()).value?.index).toBe(7)
  await watch.return()
  expect(server.requests.map(({ headers }) => headers['x-service-token'])).toEqual([
    ...['first', 'second'],
    ...['first', 'second'],
  ])
})

test.each(['first', undefined, ''])(
  'a call whose secret is refused is not repeated if the source has %o',
  async (later) => {
    await using server = await startServer(problem(403, 'caller_unknown'))
    const secrets = ['first', later]
    const client = clientOf(server, { token: () => secrets.shift() })
    await expect(client.tokens.self()).rejects.toMatchObject({ code: 'caller_unknown' })
    expect(server.requests).toHaveLength(1)
  },
)

const ACCESSOR = '00000000-0000-4000-8000-000000000001'

test('withToken and withNamespace return variants and do not change the client (spec 4.9, 5)', async () => {
  await using server = await startServer(json(aToken()))
  const client = clientOf(server, { token: 'mine' })
  await client.withToken('other').withNamespace('team a').tokens.read(ACCESSOR)
  expect(server.requests.at(-1)).toMatchObject({
    url: `/v1/acl/token/${ACCESSOR}?ns=team%20a`,
    headers: { 'x-service-token': 'other' },
  })
  // The token of the caller has its namespace (spec 4.4).
  await client.withNamespace('team a').withToken(undefined).tokens.self()
  expect(server.requests.at(-1)?.url).toBe('/v1/acl/token/self')
  expect(tokenSeen(server)).toBeUndefined()
  await client.tokens.self()
  expect(server.requests.at(-1)).toMatchObject({
    url: '/v1/acl/token/self',
    headers: { 'x-service-token': 'mine' },
  })
})

test('withDatacenter names the datacenter in every call, watches included', async () => {
  await using server = await startServer(json(aToken()))
  const client = clientOf(server, { token: 'mine' })
  const there = client.withDatacenter('dc2')
  await there.tokens.self()
  await there.tokens.self({ index: 7, wait: 1_000 })
  await there.withDatacenter(undefined).tokens.self()
  await client.tokens.self()
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/v1/acl/token/self?dc=dc2',
    expect.stringMatching(/self\?dc=dc2&index=7&wait=1000ms$/),
    '/v1/acl/token/self',
    '/v1/acl/token/self',
  ])
})

test('a namespace of the call is always sent, one of the client only where records have namespaces (spec 4.9)', async () => {
  await using server = await startServer(json([]), json([]), json([]))
  const client = clientOf(server, { token: 'mine' }).withNamespace('team a')
  await client.authorize([])
  await client.sessions.list({ namespace: 'other' })
  await client.sessions.list()
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/v1/internal/acl/authorize?ns=team%20a',
    '/v1/session/list?ns=other',
    '/v1/session/list',
  ])
})

test('withMeta tells index, known leader, last contact, request id and next cursor (spec 4.1)', async () => {
  const headers = {
    'X-Service-Index': 42,
    'X-Service-KnownLeader': 'true',
    'X-Service-LastContact': 15,
    'X-Service-Effective-Consistency': 'stale',
    'X-Service-Results-Filtered-By-ACLs': 'true',
    'X-Request-Id': 'r-1',
    'X-Service-Next-Cursor': 'c2',
  }
  await using server = await startServer(json([], headers), json('leader', { 'X-Service-Index': '' }))
  const client = clientOf(server).withMeta()
  expect(await client.tokens.list()).toEqual({
    value: [],
    index: 42,
    knownLeader: true,
    lastContactMs: 15,
    effectiveConsistency: 'stale',
    resultsFiltered: true,
    requestId: 'r-1',
    nextCursor: 'c2',
  })
  expect(await client.status.leader()).toMatchObject({
    value: 'leader',
    index: undefined,
    knownLeader: undefined,
  })
})

test('sends headers of its own and a User-Agent, and neither replaces what the SDK needs', async () => {
  await using server = await startServer(json(aToken()))
  const headers = { 'X-Gateway': 'g', Accept: 'text/html', 'X-Service-Token': 'other' }
  await clientOf(server, { headers }).tokens.self()
  await clientOf(server, { headers: { 'User-Agent': 'mine' } }).tokens.self()
  const [first, second] = server.requests
  expect(first?.headers).toMatchObject({
    'x-gateway': 'g',
    'x-service-token': CALLER_SECRET,
    // Without it, a server could answer with the statuses of another client's dialect.
    accept: 'application/json, application/problem+json',
    'user-agent': `latchkey-sdk/${PRODUCT_VERSION}`,
  })
  expect(second?.headers['user-agent']).toBe('mine')
})

test('a header that cannot be sent is refused by its name', () => {
  const headers = { 'X-Note': 'line\nsecret' }
  expect(() => createClient({ address: 'http://x', headers })).toThrow(/"X-Note"/)
  expect(() => createClient({ address: 'http://x', headers })).not.toThrow(/secret/)
})

test('a logger gets every attempt and retry, and no secret', async () => {
  await using server = await startServer(
    problem(503, 'unavailable'),
    json(aToken(), { 'X-Request-Id': 'r-1' }),
  )
  const lines: string[] = []
  const logger = {
    debug: (message: string, facts: object) => lines.push(`debug ${message} ${JSON.stringify(facts)}`),
    warn: (message: string, facts: object) => lines.push(`warn ${message} ${JSON.stringify(facts)}`),
  }
  await clientOf(server, { logger }).tokens.self()
  expect(lines).toEqual([
    expect.stringMatching(/^debug tokens\.self: 503 in \d+ ms/),
    expect.stringMatching(/^warn tokens\.self: attempt 1 failed, next in \d+ ms: /),
    expect.stringMatching(/^debug tokens\.self: 200 in \d+ ms .*"requestId":"r-1"/),
  ])
  expect(lines.join()).not.toContain(CALLER_SECRET)
})

test('a logger that throws changes neither the outcome of a call nor its retries', async () => {
  await using server = await startServer(problem(503, 'unavailable'), json(aToken()))
  const fail = () => {
    throw new Error('disk full')
  }
  const token = await clientOf(server, { logger: { debug: fail, warn: fail } }).tokens.self()
  expect(token.AccessorID).toBe(aToken().AccessorID)
})

test('an unreadable environment counts as empty, as in Deno without --allow-env', () => {
  const refuse = () => {
    throw new Error('NotCapable: Requires env access')
  }
  const env = new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse })
  vi.stubGlobal('process', { env, getBuiltinModule: refuse })
  expect(createClient({ address: 'http://x', token: 'y' }).toJSON()).toEqual({ address: 'http://x' })
  expect(() => createClient()).toThrow('No address')
})
