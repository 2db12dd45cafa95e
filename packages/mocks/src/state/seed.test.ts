import { expect, test } from 'vitest'
import { createMockService, type Seed } from '../index.ts'

async function read(seed: Seed, path: string): Promise<unknown> {
  const service = createMockService({ seed })
  const headers = { 'X-Service-Token': service.managementToken }
  const response = await service.fetch(`${service.baseUrl}/v1${path}`, { headers })
  expect(response.status).toBe(200)
  return response.json()
}

const POLICY_ID = 'aaaaaaaa-0000-4000-8000-000000000001'

test('links are given by name or ID, and shown with both (spec 2.2, 2.3)', async () => {
  const seed = {
    policies: [{ ID: POLICY_ID, Name: 'reader', Rules: 'key_prefix "" { policy = "read" }' }],
    roles: [{ Name: 'team', Policies: [{ ID: POLICY_ID }] }],
    tokens: [
      {
        AccessorID: 'bbbbbbbb-0000-4000-8000-000000000001',
        Policies: [{ Name: 'READER' }],
        Roles: [{ Name: 'team' }],
      },
    ],
  }
  expect(await read(seed, '/acl/token/bbbbbbbb-0000-4000-8000-000000000001')).toMatchObject({
    Policies: [{ ID: POLICY_ID, Name: 'reader' }],
    Roles: [{ Name: 'team' }],
  })
})

test('auth methods and binding rules are there for logins', async () => {
  const service = createMockService({
    seed: {
      authMethods: [
        {
          Name: 'sso',
          Type: 'jwt',
          Config: { JWKSURL: 'https://idp.test/keys', ClaimMappings: { team: 'team' } },
        },
      ],
      bindingRules: [
        { ID: POLICY_ID, AuthMethod: 'SSO', BindType: 'service', BindName: '${value.team}-web' },
      ],
    },
  })
  const BearerToken = service.identityProvider.issue({ sub: 'ada', claims: { team: 'Shop' } })
  const response = await service.fetch(`${service.baseUrl}/v1/acl/login`, {
    method: 'POST',
    body: JSON.stringify({ AuthMethod: 'sso', BearerToken }),
  })
  expect(await response.json()).toMatchObject({
    AuthMethod: 'sso',
    ServiceIdentities: [{ ServiceName: 'shop-web' }],
  })
})

test('keys hold texts and bytes', async () => {
  const kv = { 'a/text': 'grüß', 'a/bytes': new Uint8Array([0, 255]) }
  expect(await read({ kv }, '/kv/a?recurse')).toMatchObject([
    { Key: 'a/bytes', Value: 'AP8=' },
    { Key: 'a/text', Value: btoa('gr\xc3\xbc\xc3\x9f') },
  ])
})

test('namespaces of the extended edition hold records (spec 4.9)', async () => {
  const seed = {
    namespaces: [{ Name: 'team', Description: 'ours' }],
    policies: [{ Name: 'reader', Namespace: 'team' }],
    tokens: [{ Description: 'in team', Namespace: 'team', Policies: [{ Name: 'reader' }] }],
  }
  const service = createMockService({ seed, edition: 'extended' })
  const headers = { 'X-Service-Token': service.managementToken }
  const list = await service.fetch(`${service.baseUrl}/v1/acl/tokens?ns=team`, { headers })
  expect(await list.json()).toMatchObject([{ Description: 'in team', Namespace: 'team' }])
  expect(() => createMockService({ seed })).toThrow(
    'seed.namespaces[0]: namespaces need the extended edition',
  )
  const lost = { tokens: [{ Namespace: 'team' }] }
  expect(() => createMockService({ seed: lost, edition: 'extended' })).toThrow(
    'seed.tokens[0]: Namespace "team"',
  )
  expect(() => createMockService({ seed: lost })).toThrow(
    'seed.tokens[0]: Namespace needs the extended edition',
  )
})

test('what a create refuses is refused here, naming record, rule and field', () => {
  const broken = (seed: Seed) => () => createMockService({ seed })
  expect(broken({ tokens: [{}, { Policies: [{ Name: 'none' }] }] })).toThrow(
    'seed.tokens[1]: No such ACL policy with name "none" (Policies[0])',
  )
  expect(broken({ policies: [{ Name: 'a b' }] })).toThrow('seed.policies[0]: Invalid Policy: invalid Name')
  expect(broken({ policies: [{ Name: 'a', Rules: 'acl = "all"' }] })).toThrow('seed.policies[0]: ')
  expect(broken({ roles: [{ Name: 'a' }, { Name: 'A' }] })).toThrow('seed.roles[1]: ')
  const SecretID = 'cccccccc-0000-4000-8000-000000000001'
  expect(broken({ tokens: [{ SecretID }, { SecretID }] })).toThrow('seed.tokens[1]: ')
  const [ID, notAnId] = [POLICY_ID, 'policy-1']
  expect(broken({ policies: [{ Name: 'a', ID: notAnId }] })).toThrow('seed.policies[0]: The ID is not')
  expect(
    broken({
      roles: [
        { Name: 'a', ID },
        { Name: 'b', ID },
      ],
    }),
  ).toThrow('seed.roles[1]: ')
  expect(broken({ kv: { '': 'x' } })).toThrow('seed.kv[""]: Missing key name (Key)')
  expect(broken({ kv: { ['k'.repeat(2_049)]: 'x' } })).toThrow('seed.kv["kkk')
  expect(broken({ kv: { k: 'x'.repeat(524_289) } })).toThrow('seed.kv["k"]: The value is larger than')
  const namespaces =
    (...Names: string[]) =>
    () =>
      createMockService({ edition: 'extended', seed: { namespaces: Names.map((Name) => ({ Name })) } })
  expect(namespaces('a b')).toThrow('seed.namespaces[0]: "a b" is not')
  expect(namespaces('default')).toThrow('seed.namespaces[0]: A namespace')
  expect(namespaces('a', 'a')).toThrow('seed.namespaces[1]: A namespace')
  // @ts-expect-error a field that no policy has
  expect(broken({ policies: [{ Name: 'a', Rule: '' }] })).toThrow('unknown field "Rule"')
})
