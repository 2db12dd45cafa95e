/** Shapes of answers. Spec 4.10 is silent; decisions: record shapes, error bodies. */
import assert from 'node:assert/strict'
import type { Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'

/** Hashes recorded from another service of this API, with the hashed content. */
const TOKEN_HASHES: readonly (readonly [object, string])[] = [
  [{}, 'NLOoV2WBU8ieJIrYXXx8NRb5C2xU61pVVWRDLEIMxlU='],
  [{ Description: 'a' }, 'gnL7MgGi/pPdD6xGoayDm7BX4qKSasEbs+83NTC5h0k='],
  [{ Description: 'loc', Local: true }, 'k+94MePXlfEPMGfReCV8Df2qNzFgIbmQeX15T9Ou9xc='],
  [
    {
      ServiceIdentities: [
        { ServiceName: 'web', Datacenters: ['dc3', 'dc1'] },
        { ServiceName: 'api' },
        { ServiceName: 'web', Datacenters: ['dc2'] },
      ],
    },
    'I4t6v87VqLDPg2b3DGEF5NBD4YIcYsAsTCmEXlo/vPE=',
  ],
]

export const recordCases: readonly Case[] = [
  test('records/keys [D/records/keys, 4.10] a token has its keys in order, on every endpoint; empty lists, AuthMethod and ExpirationTime are omitted', async (ctx) => {
    const policy = await ctx.policy()
    const role = await ctx.role()
    const full = await ctx.token({
      Description: 'x',
      Policies: [{ ID: policy.ID }],
      Roles: [{ ID: role.ID }],
      ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
      ExpirationTTL: '1h',
    })
    const start = ['AccessorID', 'SecretID', 'Description']
    const end = ['CreateTime', 'Hash', 'CreateIndex', 'ModifyIndex']
    const links = ['Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities']
    const keys = [...start, ...links, 'Local', 'ExpirationTime', ...end]
    const [listed] = await ctx.ok<Token[]>('GET', `/acl/tokens?policy=${policy.ID}`)
    const answers = [
      full,
      await ctx.ok('GET', `/acl/token/${full.AccessorID}`),
      await ctx.ok('GET', '/acl/token/self', { token: full.SecretID }),
      await ctx.ok('PUT', `/acl/token/${full.AccessorID}`, { body: full }),
      await ctx.ok('PUT', `/acl/token/${full.AccessorID}/clone`, { body: {} }),
      listed ?? {},
    ]
    for (const answer of answers) assert.deepEqual(Object.keys(answer), keys)
    assert.deepEqual(Object.keys(await ctx.token()), [...start, 'Local', ...end])
    assert.deepEqual(Object.keys(full.Policies?.[0] ?? {}), ['ID', 'Name'])
    assert.deepEqual(Object.keys(full.ServiceIdentities?.[0] ?? {}), ['ServiceName', 'Datacenters'])
  }).needing({ edition: 'standard' }),
  test('records/hash [D/records/hash] Hash is the BLAKE2b-256 of description, rules, locality and links, as an existing service computes it', async (ctx) => {
    for (const [fields, hash] of TOKEN_HASHES) {
      assert.equal((await ctx.token({ ...fields, ExpirationTTL: '1h' })).Hash, hash)
    }
    const anonymous = await ctx.ok('GET', '/acl/token/00000000-0000-0000-0000-000000000002')
    assert.equal(anonymous.Hash, 'RNVFSWnfd5DUOuB8vplp+imivlIna3fKQVnkUHh21cA=')
  }),
  test('records/indexes [D/records/indexes] CreateIndex and ModifyIndex are the indexes of the writes, which increase with every write of any kind', async (ctx) => {
    const one = await ctx.token()
    const policy = await ctx.policy()
    const role = await ctx.role()
    const two = await ctx.token()
    const created = [one, policy, role, two]
    for (const record of created) assert.equal(record.ModifyIndex, record.CreateIndex)
    const indexes = created.map(({ CreateIndex }) => CreateIndex)
    assert.deepEqual(
      indexes,
      [...new Set(indexes)].sort((a, b) => a - b),
    )
    const updated = await ctx.ok<Token>('PUT', `/acl/token/${one.AccessorID}`, { body: {} })
    assert.equal(updated.CreateIndex, one.CreateIndex)
    assert(updated.ModifyIndex > two.ModifyIndex)
  }).needing({ datacenter: 'primary' }),
  test('records/json [D/records/json] JSON is compact; pretty indents by four and ends with a newline; caches must not store it', async (ctx) => {
    const token = await ctx.token()
    for (const path of [
      `/acl/token/${token.AccessorID}`,
      '/acl/tokens',
      '/acl/token/self',
      '/acl/policies',
    ]) {
      const compact = await ctx.call('GET', path)
      assert.equal(compact.text, JSON.stringify(JSON.parse(compact.text)))
      assert.equal(compact.headers.get('cache-control'), 'no-store')
      const pretty = await ctx.call('GET', `${path}?pretty`)
      assert.equal(pretty.text, `${JSON.stringify(JSON.parse(pretty.text), undefined, 4)}\n`)
    }
    const refused = await ctx.call('GET', `/acl/token/${crypto.randomUUID()}`)
    assert.equal(refused.headers.get('cache-control'), 'no-store')
  }),
  test('records/error-forms [D/status/forms] a refusal is plain text, or a problem document if the request accepts it; both name the request', async (ctx) => {
    const path = `/acl/token/${crypto.randomUUID()}`
    for (const accept of ['*/*', 'text/plain', 'application/json', 'text/html']) {
      const reply = await ctx.call('GET', path, { headers: { Accept: accept } })
      assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8', accept)
      assert.notEqual(reply.headers.get('x-request-id') ?? '', '')
    }
    for (const accept of ['application/problem+json', 'application/json, application/problem+json;q=0.9']) {
      const reply = await ctx.call('GET', path, { headers: { Accept: accept } })
      assert.equal(reply.headers.get('content-type'), 'application/problem+json', accept)
      const problem = JSON.parse(reply.text)
      assert.deepEqual(
        [problem.status, problem.code, problem.requestId],
        [404, 'not_found', reply.headers.get('x-request-id')],
      )
    }
  }),
  test('records/right-missing [D/status/right-403] 403 privilege_missing as a problem document says which accessor lacks which right on which resource', async (ctx) => {
    const powerless = await ctx.caller('')
    const headers = { Accept: 'application/problem+json' }
    const key = ctx.unique('key')
    const list = await ctx.call('GET', '/acl/tokens', { token: powerless.SecretID, headers })
    assert.equal(JSON.parse(list.text).accessorId, powerless.AccessorID)
    assert.deepEqual(JSON.parse(list.text).missing, { resource: 'acl', access: 'read' })
    const kv = await ctx.call('GET', `/kv/${key}`, { token: powerless.SecretID, headers })
    assert.deepEqual(JSON.parse(kv.text).missing, { resource: 'key', access: 'read', segment: key })
  }),
]
