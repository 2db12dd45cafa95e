/** The import, from one mock service to another. */
import { generateKeyPairSync } from 'node:crypto'
import { unsignedToken } from '@latchkey/acl'
import { createMockService } from '@latchkey/mocks'
import { createClient, type Fetch } from '@latchkey/sdk'
import { beforeEach, expect, test } from 'vitest'
import { commandLine } from '../../test/run.ts'
import { EXIT } from '../frame/cli-error.ts'
import { obstacleOf } from './read-source.ts'

const SECRET = 'aaaaaaaa-0000-4000-8000-00000000000a'
const FROM = 'https://old.test'
const old = createMockService({ baseUrl: FROM, managementToken: SECRET, serviceVersion: '1.8.7' })
const own = createMockService()
const there = createClient({ address: FROM, token: SECRET, fetch: old.fetch, env: false })
const here = createClient({ address: own.baseUrl, token: own.managementToken, fetch: own.fetch, env: false })
let failing: (url: string, init: RequestInit) => boolean = () => false
const fetch: Fetch = async (url, init) => {
  if (failing(url, init)) throw new TypeError('fetch failed')
  return url.startsWith(FROM) ? old.fetch(url, init) : own.fetch(url, init)
}
const env = { LATCHKEY_ADDR: own.baseUrl, LATCHKEY_TOKEN: own.managementToken, LATCHKEY_FROM_TOKEN: SECRET }
const run = commandLine({ fetch, env })
const move = (...options: string[]) => run(['import', '--from', FROM, ...options])
const result = async (...options: string[]) => JSON.parse((await move(...options, '-o', 'json')).stdout)
const writes = () =>
  own.calls.filter(({ method, endpoint }) => method !== 'GET' && endpoint !== 'decisions.authorize')

beforeEach(async () => {
  failing = () => false
  for (const service of [old, own]) service.reset()
  const rules = 'key_prefix "a" { policy = "read" } service "web" { policy = "write" }'
  const policy = await there.policies.create({ Name: 'reader', Rules: rules, Datacenters: ['dc1'] })
  const role = await there.roles.create({
    Name: 'app',
    Policies: [{ ID: policy.ID }],
    ServiceIdentities: [{ ServiceName: 'db' }],
  })
  await there.tokens.create({
    Description: 'app',
    Roles: [{ ID: role.ID }],
    Local: true,
    ExpirationTTL: '2h',
  })
  await there.tokens.update('00000000-0000-0000-0000-000000000002', { Policies: [{ ID: policy.ID }] })
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const JWTValidationPubKeys = [publicKey.export({ type: 'spki', format: 'pem' }).toString()]
  const Config = { JWTValidationPubKeys, ClaimMappings: { sub: 'user' } }
  await there.authMethods.create({ Name: 'ci', Type: 'jwt', MaxTokenTTL: '30m', Config })
  await there.bindingRules.create({ AuthMethod: 'ci', BindType: 'role', BindName: 'app' })
})

test('creates every record with its ids and secrets, and asks both services as each token; a second run changes nothing', async () => {
  expect(await move('--check')).toMatchObject({
    code: EXIT.differs,
    stdout: expect.stringContaining('1 policy, 1 role, 1 auth method, 1 binding rule, 3 tokens to create'),
  })
  expect(writes()).toEqual([])
  expect(await move()).toMatchObject({
    code: EXIT.done,
    stderr: expect.stringMatching(/Created 7 .*\n.* as 3 tokens: all answers are equal/),
  })
  for (const kind of ['policies', 'roles', 'bindingRules'] as const) {
    const ids = async (client: typeof there) => (await client[kind].list()).map(({ ID }) => ID).sort()
    expect(await ids(here)).toEqual(await ids(there))
  }
  for (const { AccessorID } of await there.tokens.list()) {
    const facts = async (client: typeof there) => {
      const {
        CreateIndex,
        ModifyIndex,
        CreateTime,
        Hash: _,
        ...fields
      } = await client.tokens.read(AccessorID)
      return fields
    }
    expect(await facts(here)).toEqual(await facts(there))
  }
  const before = writes().length
  expect(await result()).toEqual({
    Created: 0,
    Missing: 0,
    Unchanged: 7,
    LeftOut: [],
    Tokens: 3,
    Questions: expect.any(Number),
    Differences: [],
  })
  expect(writes()).toHaveLength(before)
})

test('names what a create cannot make before it writes, and leaves it out if that is confirmed', async () => {
  await there.login({ method: 'ci', bearerToken: unsignedToken({ sub: 'bob' }, Date.now()) })
  await there.tokens.create({ Description: 'short', ExpirationTTL: '1m' })
  await there.legacy.create({ ID: 'legacy', Type: 'client', Rules: 'key "" { policy = "read" }' })
  const refused = await move()
  expect(refused).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('leave out 3?') })
  for (const reason of ['a login through ci made it', 'it expires at ', 'it has legacy rules'])
    expect(refused.stdout).toContain(`cannot be made here: ${reason}`)
  expect(writes()).toEqual([])
  expect(await result('--yes')).toMatchObject({
    Created: 7,
    LeftOut: Array.from({ length: 3 }, () => expect.anything()),
    Differences: [],
  })
})

test.each<readonly [string, () => Promise<unknown>, RegExp]>([
  ['a name', () => here.roles.create({ Name: 'APP' }), /role .*\(app\): its name is that of .* here/],
  ['a secret', () => here.tokens.create({ SecretID: SECRET }), /token .*: its secret is that of .* here/],
  [
    'another content',
    async () => {
      const [role] = await there.roles.list()
      await here.roles.create({ Name: 'app', ID: role?.ID ?? '' }, { import: true })
    },
    /role .*\(app\) is here with other content: Policies, ServiceIdentities/,
  ],
])('writes nothing if %s is in the way', async (_, obstruct, message) => {
  await obstruct()
  const before = writes().length
  expect(await move()).toMatchObject({ code: EXIT.conflict, stderr: expect.stringMatching(message) })
  expect(writes()).toHaveLength(before)
})

test('continues after an interruption', async () => {
  failing = (url, { method, body }) =>
    method === 'PUT' && url.includes('/acl/token') && String(body).includes('"app"')
  expect(await move()).toMatchObject({
    code: EXIT.failed,
    stderr: expect.stringMatching(/cannot create token .*\(app\)/),
  })
  failing = () => false
  expect(await result()).toMatchObject({ Unchanged: 6, Created: 1, Differences: [] })
})

test('reports answers that differ: exit code 2', async () => {
  await move()
  const [policy] = await there.policies.list().then((all) => all.filter(({ Name }) => Name === 'reader'))
  failing = (url, { method }) => {
    // The rules change between the reading and the questions.
    if (method === 'POST')
      old.fetch(`${FROM}/v1/acl/policy/${policy?.ID}`, {
        method: 'PUT',
        headers: { 'X-Service-Token': SECRET },
        body: '{"Name":"reader"}',
      })
    return url === ''
  }
  expect(await move('--check')).toMatchObject({
    code: EXIT.differs,
    stdout: expect.stringMatching(/token .*: key "a" read is denied there and allowed here/),
  })
})

test('a token that sees no secrets, or an unknown one, is refused with the name of the service', async () => {
  await there.policies.create({ Name: 'auditor', Rules: 'acl = "read"' })
  const { SecretID } = await there.tokens.create({ Policies: [{ Name: 'auditor' }] })
  for (const [secret, message] of [
    [SecretID, `${FROM} sees no secrets`],
    ['x', `cannot read the records of ${FROM}`],
  ] as const)
    expect(await run(['import', '--from', FROM], { env: { LATCHKEY_FROM_TOKEN: secret } })).toMatchObject({
      code: EXIT.denied,
      stderr: expect.stringContaining(message),
    })
})

const NOW = Date.parse('2030-01-01T00:00:00Z')
test.each<readonly [string, object, RegExp | undefined]>([
  ['the shortest lifetime', { ExpirationTime: '2030-01-01T00:01:00.000000001Z' }, undefined],
  ['the longest, with an offset', { ExpirationTime: '2030-01-02T02:00:00+02:00' }, undefined],
  ['a shorter one', { ExpirationTime: '2030-01-01T00:00:59.999Z' }, /1 minute to 24 hours/],
  ['a longer one', { ExpirationTime: '2030-01-02T00:00:00.001Z' }, /1 minute to 24 hours/],
  ['a secret of other form', { SecretID: 'root' }, /its SecretID is not a UUID/],
  ['a reserved accessor', { AccessorID: '00000000-0000-0000-0000-000000000009' }, /AccessorID is reserved/],
  ['a field of a later version', { ServiceIdentities: [{ ServiceName: 7 }] }, /ServiceIdentities/],
])('of a token, a create makes or refuses %s', (_, fields, reason) => {
  const token = { AccessorID: SECRET, SecretID: SECRET, Description: '', Local: false, ...fields }
  const found = obstacleOf('token', token, NOW)
  expect(found).toEqual(reason === undefined ? undefined : expect.stringMatching(reason))
})
