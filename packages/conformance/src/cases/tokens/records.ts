/** Shapes of answers. Spec 4.10 is silent; decisions: record shapes, error bodies. */
import assert from 'node:assert/strict'
import type { Token, TokenListEntry } from '@latchkey/contract'
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
  test('records/labels [D/tokens/labels, D/tokens/with] labels of a create show with labels alone; an update keeps them unless it has some; a clone copies them', async (ctx) => {
    const Labels = { team: 'web', 'a.b/c-d_e': '' }
    const shown = { 'a.b/c-d_e': '', team: 'web' }
    const { AccessorID, ...token } = await ctx.token({ Labels })
    assert(!('Labels' in token))
    const path = `/acl/token/${AccessorID}`
    const read = () => ctx.ok<Token>('GET', `${path}?with=labels`)
    const plain = await ctx.call('GET', path)
    const extended = await ctx.call('GET', `${path}?with=labels`)
    assert.equal(extended.text, `${plain.text.slice(0, -1)},"Labels":${JSON.stringify(shown)}}`)
    await ctx.ok('PUT', path, { body: { Description: 'changed' } })
    assert.deepEqual((await read()).Labels, shown)
    // A record can be sent back as read.
    await ctx.ok('PUT', path, { body: await ctx.ok('GET', `${path}?with=labels&with=lineage`) })
    assert.deepEqual((await read()).Labels, shown)
    const clone = await ctx.ok<Token>('PUT', `${path}/clone`, { body: {} })
    const list = await ctx.ok<TokenListEntry[]>('GET', '/acl/tokens?with=labels')
    assert.deepEqual(list.find((each) => each.AccessorID === clone.AccessorID)?.Labels, shown)
    await ctx.ok('PUT', path, { body: { Labels: { team: 'db' } } })
    assert.deepEqual((await read()).Labels, { team: 'db' })
    await ctx.ok('PUT', path, { body: { Labels: {} } })
    assert(!('Labels' in (await read())))
    assert.equal((await ctx.call('GET', `${path}?with=labels`)).text, (await ctx.call('GET', path)).text)
  }),
  test('records/labels-bounds [D/tokens/labels] 400 field_invalid, field_too_long: a label beyond a bound; nothing changes', async (ctx) => {
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))
    const { AccessorID, SecretID } = await ctx.token({ Labels: pairs(16) })
    const path = `/acl/token/${AccessorID}`
    const refused = [
      [pairs(17), '400 field_invalid Labels'],
      [{ '': 'v' }, '400 field_invalid Labels'],
      [{ 'a=b': 'v' }, '400 field_invalid Labels'],
      [{ 'a.': 'v' }, '400 field_invalid Labels'],
      [{ a: 'line\nbreak' }, '400 field_invalid Labels'],
      [{ a: SecretID }, '400 field_invalid Labels'],
      [{ ['k'.repeat(65)]: 'v' }, '400 field_too_long Labels'],
      [{ a: 'ü'.repeat(129) }, '400 field_too_long Labels'],
    ] as const
    for (const [Labels, refusal] of refused) await ctx.refuses('PUT', path, { body: { Labels } }, refusal)
    assert.deepEqual((await ctx.ok<Token>('GET', `${path}?with=labels`)).Labels, pairs(16))
    const longest = { ['k'.repeat(64)]: 'ü'.repeat(128) }
    await ctx.ok('PUT', path, { body: { Labels: longest } })
    assert.deepEqual((await ctx.ok<Token>('GET', `${path}?with=labels`)).Labels, longest)
  }),
  test('records/lineage [D/tokens/lineage, D/tokens/with] with lineage, tokens, policies and roles name who created and who last wrote them, even after its deletion', async (ctx) => {
    const author = await ctx.caller('acl = "write"')
    const self = await ctx.ok<Token>('GET', '/acl/token/self')
    const by = (caller: Token) => ({ AccessorID: caller.AccessorID })
    const as = { token: author.SecretID }
    const token = await ctx.ok<Token>('PUT', '/acl/token', { ...as, body: {} })
    const policy = await ctx.ok<{ ID: string }>('PUT', '/acl/policy', {
      ...as,
      body: { Name: ctx.unique('p') },
    })
    const role = await ctx.ok<{ ID: string; Name: string }>('PUT', '/acl/role', {
      ...as,
      body: { Name: ctx.unique('r') },
    })
    assert(!('CreatedBy' in token || 'CreatedBy' in policy || 'CreatedBy' in role))
    const tokenPath = `/acl/token/${token.AccessorID}`
    await ctx.ok('PUT', tokenPath, { body: { Description: 'changed' } })
    await ctx.ok('DELETE', `/acl/token/${author.AccessorID}`)
    const paths = [
      tokenPath,
      `/acl/policy/${policy.ID}`,
      `/acl/role/${role.ID}`,
      `/acl/role/name/${role.Name}`,
    ]
    for (const path of paths) {
      const { CreatedBy, ModifiedBy, ...rest } = await ctx.ok('GET', `${path}?with=lineage`)
      assert.deepEqual(CreatedBy, by(author), path)
      assert.deepEqual(ModifiedBy, path === tokenPath ? by(self) : by(author), path)
      assert.deepEqual(rest, await ctx.ok('GET', path), path)
    }
    for (const [list, id] of [
      ['tokens', token.AccessorID],
      ['policies', policy.ID],
      ['roles', role.ID],
    ] as const) {
      const entries = await ctx.ok<{ CreatedBy?: object }[]>('GET', `/acl/${list}?with=lineage`)
      const entry = entries.find((each) => Object.values<unknown>(each).includes(id))
      assert.deepEqual(entry?.CreatedBy, by(author), list)
    }
    const own = await ctx.ok<Token>('GET', '/acl/token/self?with=lineage', { token: token.SecretID })
    assert.deepEqual(own.CreatedBy, by(author))
  }),
  test('records/with [D/tokens/with] 400 query_invalid: an unknown word in with, in lists too; an empty one is treated as absent', async (ctx) => {
    const { AccessorID } = await ctx.token()
    const path = `/acl/token/${AccessorID}`
    for (const bad of ['secrets', 'labels,', 'labels,secrets', 'Labels', 'constructor'])
      for (const each of [path, '/acl/token/self', '/acl/tokens'])
        await ctx.refuses('GET', `${each}?with=${bad}`, {}, '400 query_invalid with', /labels, lineage/)
    for (const each of ['/acl/policies', '/acl/roles'])
      await ctx.refuses(
        'GET',
        `${each}?with=labels`,
        {},
        '400 query_invalid with',
        /with must be one or more of lineage/,
      )
    assert.equal((await ctx.call('GET', `${path}?with=`)).text, (await ctx.call('GET', path)).text)
    const page = await ctx.ok<TokenListEntry[]>(
      'GET',
      '/acl/tokens?with=lineage,labels&limit=1&sort=-CreateIndex',
    )
    assert.equal(page.length, 1)
  }),
]
