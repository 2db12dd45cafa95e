import { expect, test } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { json, problem, type Reply, reset, startServer } from '../../test/test-server.ts'

const FOUND = { ID: 'id-1', Name: 'web', Description: '', Rules: 'acl = "read"', Hash: '' }
const ROLE = {
  ID: 'id-2',
  Name: 'shop',
  Description: 'of the shop',
  Policies: [{ ID: 'p-1', Name: 'web' }],
  ServiceIdentities: [{ ServiceName: 'a', Datacenters: ['dc1'] }, { ServiceName: 'b' }],
}
const absent = problem(404, 'not_found')
const taken = problem(409, 'name_in_use')

async function asked(replies: readonly Reply[], wanted: object = FOUND): Promise<string[]> {
  await using server = await startServer(...replies)
  const { Name, Description, Rules } = { ...FOUND, ...wanted }
  await clientOf(server).policies.ensure({ Name, Description, Rules })
  return server.requests.map(({ method, url }) => `${method} ${url.replace('/v1/acl/', '')}`)
}

const READ = 'GET policy/name/web'

test('a record that names its namespace is looked for there', async () => {
  await using server = await startServer(
    json({ ...FOUND, Namespace: 'shop' }),
    json({ ...ROLE, Namespace: 'shop' }),
  )
  const client = clientOf(server).withNamespace('other')
  await client.policies.ensure({ Name: 'web', Rules: FOUND.Rules, Namespace: 'shop' })
  const { Name, Description, Policies, ServiceIdentities } = ROLE
  await client.roles.ensure({ Name, Description, Policies, ServiceIdentities, Namespace: 'shop' })
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/v1/acl/policy/name/web?ns=shop',
    '/v1/acl/role/name/shop?ns=shop',
  ])
})

test('a create whose answer is lost is repeated, and its conflict read', async () => {
  await using server = await startServer(absent, reset(), taken, json(FOUND))
  const { Name, Rules } = FOUND
  expect(await clientOf(server).policies.ensure({ Name, Rules })).toMatchObject({ ID: 'id-1' })
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'PUT', 'PUT', 'GET'])
})

test.each([
  ['absent: created', [absent, json(FOUND)], {}, [READ, 'PUT policy']],
  ['as wanted: left as it is', [json(FOUND)], {}, [READ]],
  ['other rules: updated', [json(FOUND)], { Rules: '' }, [READ, 'PUT policy/id-1']],
  [
    'created by another at the same time: read again',
    [absent, taken, json(FOUND)],
    {},
    [READ, 'PUT policy', READ],
  ],
  [
    'deleted by another before the update: created',
    [json(FOUND), absent, absent, json(FOUND)],
    { Rules: '' },
    [READ, 'PUT policy/id-1', READ, 'PUT policy'],
  ],
])('a policy that is %s', async (_, replies, wanted, expected) => {
  expect(await asked(replies, wanted)).toEqual(expected)
})

test('a name that stays taken, and absent, ends in the conflict', async () => {
  await using server = await startServer(absent, taken, absent, taken, absent, taken)
  await expect(clientOf(server).policies.ensure({ Name: 'web' })).rejects.toMatchObject({ kind: 'conflict' })
  expect(server.requests).toHaveLength(6)
})

const identities = [{ ServiceName: 'b' }, { ServiceName: 'a', Datacenters: ['dc1'] }]
test.each([
  [
    'links by name, identities in another order',
    { Policies: [{ Name: 'web' }], ServiceIdentities: identities },
    1,
  ],
  ['links by ID', { Policies: [{ ID: 'P-1' }], ServiceIdentities: identities }, 1],
  ['one link more', { Policies: [{ Name: 'web' }, { Name: 'db' }], ServiceIdentities: identities }, 2],
  [
    'an identity of fewer datacenters',
    { Policies: [{ Name: 'web' }], ServiceIdentities: identities.slice(0, 1) },
    2,
  ],
  ['no identities', { Policies: [{ Name: 'web' }] }, 2],
])('a role wanted with %s', async (_, links, requests) => {
  await using server = await startServer(json(ROLE))
  const { Name, Description } = ROLE
  await clientOf(server).roles.ensure({ Name, Description, ...links })
  expect(server.requests).toHaveLength(requests)
})

test('each goes through policies and roles one by one', async () => {
  await using server = await startServer(json([FOUND, { ...FOUND, Name: 'db' }]), json([ROLE]))
  const client = clientOf(server)
  const names: string[] = []
  for await (const { Name } of client.policies.each()) names.push(Name)
  for await (const { Name } of client.roles.each({ policy: 'p-1' })) names.push(Name)
  expect(names).toEqual(['web', 'db', 'shop'])
  expect(server.requests.at(-1)?.url).toBe('/v1/acl/roles?policy=p-1')
})
