import { expect, test } from 'vitest'
import { clientOf } from '../test/client.ts'
import { ACCESSOR_ID, aToken } from '../test/records.ts'
import { json, plain, startServer } from '../test/test-server.ts'
import { ContractBroken } from './errors.ts'

const check = { Resource: 'key', Segment: 'web/port', Access: 'read' } as const

test('authorize asks with its options and answers in order', async () => {
  await using server = await startServer(json([{ ...check, Allow: true }]))
  const [answer] = await clientOf(server).authorize([check], { explain: true, accessor: ACCESSOR_ID })
  expect(answer.Allow).toBe(true)
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      url: `/v1/internal/acl/authorize?explain&accessor=${ACCESSOR_ID}`,
      body: JSON.stringify([check]),
    },
  ])
})

test('a different number of answers than checks breaks the contract', async () => {
  await using server = await startServer(json([]))
  await expect(clientOf(server).authorize([check])).rejects.toThrow(ContractBroken)
})

test('the other calls reach the endpoints of the contract', async () => {
  await using server = await startServer((response, request) => {
    const { url } = request
    if (url.includes('translate') || url.includes('prometheus')) return plain(200, 'text')(response, request)
    if (url === '/v1/status/leader') return json('127.0.0.1:8300')(response, request)
    const isBoolean = request.method === 'DELETE' || url.includes('destroy')
    const isList =
      /lint|what-if|who-can|policies|roles|namespaces|peers|info|list|members|datacenters|versions/.test(url)
    const isExport = url.endsWith('legacy-tokens') && request.method === 'GET'
    return json(isBoolean ? true : isList || isExport ? [] : aToken())(response, request)
  })
  const client = clientOf(server)
  const { policies, roles, namespaces, legacy, status, agent } = client
  const calls: [string, Promise<unknown>][] = [
    ['PUT /v1/acl/bootstrap', client.bootstrap()],
    ['POST /v1/internal/acl/who-can?limit=5', client.whoCan(check, { limit: 5 })],
    ['PUT /v1/acl/policy', policies.create({ Name: 'p' })],
    ['GET /v1/acl/policy/1', policies.read('1')],
    ['GET /v1/acl/policy/name/a%2Fb', policies.readByName('a/b')],
    ['PUT /v1/acl/policy/1', policies.update('1', { Name: 'p' })],
    ['DELETE /v1/acl/policy/1', policies.delete('1')],
    ['GET /v1/acl/policies', policies.list()],
    ['POST /v1/acl/policy/lint', policies.lint('x')],
    ['POST /v1/acl/policy/1/what-if?cursor=c', policies.whatIf('1', 'x', { cursor: 'c' })],
    ['GET /v1/acl/roles?policy=p', roles.list({ policy: 'p' })],
    ['PUT /v1/namespace', namespaces.create({ Name: 'team' })],
    ['PUT /v1/acl/create', legacy.create()],
    ['PUT /v1/acl/update', legacy.update({ ID: 'x' })],
    ['PUT /v1/acl/destroy/x%2Fy', legacy.destroy('x/y')],
    ['GET /v1/acl/list', legacy.list()],
    ['PUT /v1/internal/acl/legacy-tokens', legacy.import([])],
    ['GET /v1/internal/acl/legacy-tokens', legacy.export()],
    ['POST /v1/acl/rules/translate', legacy.translate('x')],
    [`GET /v1/acl/rules/translate/${ACCESSOR_ID}`, legacy.translateToken(ACCESSOR_ID)],
    ['GET /v1/status/leader', status.leader()],
    ['GET /v1/acl/replication', status.replication()],
    ['GET /v1/internal/acl/migration', status.migration()],
    ['GET /v1/catalog/datacenters', status.datacenters()],
    ['GET /v1/internal/versions?from=1.4.0&to=1.11', status.versionChanges({ from: '1.4.0', to: '1.11' })],
    ['GET /v1/openapi.json', status.openapi()],
    ['GET /v1/agent/self', agent.self()],
    ['GET /v1/agent/metrics', agent.metrics()],
    ['GET /v1/agent/metrics?format=prometheus', agent.metricsText()],
  ]
  await Promise.all(calls.map(([, call]) => call))
  const seen = server.requests.map(({ method, url }) => `${method} ${url}`)
  expect(seen.sort()).toEqual(calls.map(([request]) => request).sort())
})

test('legacy create generates the secret itself, so that a retry overwrites the same token', async () => {
  await using server = await startServer(json({ ID: 'x' }))
  await clientOf(server).legacy.create({ Name: 'n' })
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    Name: 'n',
    ID: expect.stringMatching(/^.{36}$/),
  })
})
