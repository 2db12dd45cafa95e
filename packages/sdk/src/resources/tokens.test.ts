import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { errorOf } from '../../test/at-once.ts'
import { clientOf } from '../../test/client.ts'
import { ACCESSOR_ID, aToken, SECRET_ID } from '../../test/records.ts'
import {
  html,
  json,
  problem,
  type Reply,
  reset,
  silence,
  startServer,
  type TestServer,
} from '../../test/test-server.ts'
import { Conflict, NotFound } from '../errors.ts'
import type { TokenCreate } from '../index.ts'

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const inUse = problem(409, 'id_in_use', { field: 'AccessorID' })

function bodies(server: TestServer): TokenCreate[] {
  return server.requests.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body))
}

/** Answers `self` with the token of the first create if its secret is presented. */
function selfOf(server: () => TestServer): Reply {
  return (response, request) => {
    const [body = {}] = bodies(server())
    const isOwn = request.headers['x-service-token'] === body.SecretID
    const answer = isOwn
      ? json(aToken({ AccessorID: body.AccessorID ?? '' }))
      : problem(403, 'caller_unknown')
    return answer(response, request)
  }
}

test('create generates both ids from a cryptographic source (spec 2.1)', async () => {
  await using server = await startServer(json(aToken()))
  const client = clientOf(server)
  await client.tokens.create({ Description: 'a' })
  await client.tokens.create()
  const ids = bodies(server).flatMap(({ AccessorID, SecretID }) => [AccessorID, SecretID])
  expect(new Set(ids).size).toBe(4)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('create keeps given ids and leaves empty ones to the service', async () => {
  await using server = await startServer(json(aToken()))
  const { tokens } = clientOf(server)
  await tokens.create({ AccessorID: ACCESSOR_ID, SecretID: SECRET_ID })
  await tokens.create({ SecretID: '' })
  await tokens.create({ AccessorID: '' })
  expect(bodies(server)).toEqual([
    { AccessorID: ACCESSOR_ID, SecretID: SECRET_ID },
    { SecretID: '' },
    { AccessorID: '', SecretID: expect.stringMatching(/^.{36}$/) },
  ])
})

test.each([
  ['a reset connection', reset()],
  ['a timeout', silence()],
  ['502 of a proxy', html(502)],
])('a create that was applied before %s is recognised as our own, with its ids', async (_, fault) => {
  let self: TestServer | undefined
  await using server = await startServer(
    fault,
    inUse,
    selfOf(() => self ?? expect.unreachable()),
  )
  self = server
  const token = await clientOf(server, { attemptTimeout: 500 }).tokens.create({ Description: 'x' })
  const [first, second] = bodies(server)
  expect(first).toEqual(second)
  expect(token.AccessorID).toBe(first?.AccessorID)
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'PUT /v1/acl/token',
    'PUT /v1/acl/token',
    'GET /v1/acl/token/self',
  ])
})

test.each([
  ['the secret is unknown', problem(403, 'caller_unknown')],
  ['it is of another accessor', json(aToken())],
])('a conflict after a doubtful attempt stays one if %s', async (_, self) => {
  await using server = await startServer(reset(), inUse, self)
  await expect(clientOf(server).tokens.create()).rejects.toThrow(Conflict)
})

test('a conflict on the first attempt is a conflict, without another request', async () => {
  await using server = await startServer(inUse)
  await expect(clientOf(server).tokens.create({ AccessorID: ACCESSOR_ID })).rejects.toThrow(Conflict)
  expect(server.requests).toHaveLength(1)
})

test('a create whose outcome remains unknown names its accessor', async () => {
  await using server = await startServer(reset())
  const error = await errorOf(clientOf(server).tokens.create())
  expect(error).toMatchObject({
    kind: 'unavailable',
    maybeApplied: true,
    recordId: bodies(server)[0]?.AccessorID,
  })
  expect(server.requests).toHaveLength(3)
})

test.each([{ SecretID: SECRET_ID }, { SecretID: '' }, { AccessorID: '' }])(
  'a create is not retried if its token could not be recognized: %j',
  async (token) => {
    await using server = await startServer(reset())
    await expect(clientOf(server).tokens.create(token)).rejects.toMatchObject({ maybeApplied: true })
    expect(server.requests).toHaveLength(1)
  },
)

test.each([true, false])('update sends Local %s as given, without a read (spec 4.5.4)', async (Local) => {
  await using server = await startServer(json(aToken()))
  await clientOf(server).tokens.update(ACCESSOR_ID, { Local, Description: 'new' })
  expect(bodies(server)).toEqual([{ Local, Description: 'new' }])
  expect(server.requests).toHaveLength(1)
})

test('update takes a record of expanded or bootstrap, and sends nothing of what they added (spec 4.3, 4.5)', async () => {
  const token = aToken({ Description: 'old' })
  const expansion = {
    ExpandedPolicies: [],
    ExpandedRoles: null,
    NamespaceDefaultPolicyIDs: null,
    NamespaceDefaultRoleIDs: null,
    AgentACLDefaultPolicy: 'deny',
    AgentACLDownPolicy: 'extend-cache',
    ResolvedByAgent: 'mock',
  }
  await using server = await startServer(json({ ...token, ...expansion }))
  const { tokens } = clientOf(server)
  const found = await tokens.read(ACCESSOR_ID, { expanded: true })
  expect(server.requests[0]?.url).toBe(`/v1/acl/token/${ACCESSOR_ID}?expanded`)
  await tokens.update(ACCESSOR_ID, { ...found, Description: 'new' })
  expect(bodies(server).at(-1)).toEqual({ ...token, Description: 'new' })
  const bootstrapped = { ...token, ID: token.SecretID }
  await tokens.update(ACCESSOR_ID, bootstrapped)
  expect(bodies(server).at(-1)).toEqual(token)
})

test('update without Local reads it first, in the namespace of the record (spec 4.5.4, 4.9)', async () => {
  await using server = await startServer(json(aToken({ Local: true })))
  await clientOf(server).tokens.update(ACCESSOR_ID, { Description: 'new', Namespace: 'team' })
  expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET /v1/acl/token/${ACCESSOR_ID}?ns=team`,
    `PUT /v1/acl/token/${ACCESSOR_ID}`,
  ])
  expect(bodies(server)).toEqual([{ Description: 'new', Namespace: 'team', Local: true }])
})

test('a delete whose first attempt was applied is a success (spec 4.7)', async () => {
  await using server = await startServer(reset(), problem(404, 'not_found'))
  await expect(clientOf(server).tokens.delete(ACCESSOR_ID)).resolves.toBe(true)
})

test('404 not_found: a token that never existed is deleted', async () => {
  await using server = await startServer(problem(404, 'not_found'))
  await expect(clientOf(server).tokens.delete(ACCESSOR_ID)).rejects.toThrow(NotFound)
})

test('clone always sends a body, which the service requires (spec 4.6)', async () => {
  await using server = await startServer(json(aToken()))
  const { tokens } = clientOf(server)
  await tokens.clone(ACCESSOR_ID)
  await tokens.clone(ACCESSOR_ID, { Description: 'copy' })
  expect(server.requests.map(({ url, body }) => `${url} ${body}`)).toEqual([
    `/v1/acl/token/${ACCESSOR_ID}/clone {}`,
    `/v1/acl/token/${ACCESSOR_ID}/clone {"Description":"copy"}`,
  ])
})

const listed = (description: string, nextCursor?: string): Reply =>
  json(
    [aToken({ Description: description })],
    nextCursor === undefined ? {} : { 'X-Service-Next-Cursor': nextCursor },
  )

test('each goes through all pages by their cursors', async () => {
  await using server = await startServer(listed('a', 'c1'), listed('b', 'c2'), listed('c'))
  const descriptions: string[] = []
  for await (const token of clientOf(server).tokens.each({ role: 'r' }, { limit: 1 })) {
    descriptions.push(token.Description)
  }
  expect(descriptions).toEqual(['a', 'b', 'c'])
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/v1/acl/tokens?role=r&limit=1',
    '/v1/acl/tokens?role=r&limit=1&cursor=c1',
    '/v1/acl/tokens?role=r&limit=1&cursor=c2',
  ])
})

test('list, pages and each send filter and sort, with every page', async () => {
  await using server = await startServer(listed('a'), listed('a', '-c1'), listed('b'), listed('c'))
  const { tokens } = clientOf(server)
  const filter = { filter: 'AuthMethod==oidc and Local==true', sort: '-CreateIndex' }
  await tokens.list(filter)
  for await (const page of tokens.pages(filter, { limit: 1 })) expect(page).toHaveLength(1)
  for await (const token of tokens.each(filter, { limit: 2 })) expect(token.Description).toBe('c')
  const queries = server.requests.map(({ url }) =>
    Object.fromEntries(new URL(url ?? '', 'http://x').searchParams),
  )
  expect(queries).toEqual([
    filter,
    { ...filter, limit: '1' },
    { ...filter, limit: '1', cursor: '-c1' },
    { ...filter, limit: '2' },
  ])
})

test('each requests no unneeded page', async () => {
  await using server = await startServer(listed('a', 'c1'))
  for await (const _ of clientOf(server).tokens.each()) break
  expect(server.requests.map(({ url }) => url)).toEqual(['/v1/acl/tokens?limit=1000'])
})

test('pages yields arrays, with their facts in a withMeta client', async () => {
  await using server = await startServer(listed('a', 'c1'), listed('b'))
  const cursors: (string | undefined)[] = []
  for await (const page of clientOf(server).withMeta().tokens.pages({}, { limit: 1 })) {
    expect(page.value).toHaveLength(1)
    cursors.push(page.nextCursor)
  }
  expect(cursors).toEqual(['c1', undefined])
})
