/** Decoding of bodies. Spec 4, 7; decisions: decoding, status codes; FUZ-02. */
import assert from 'node:assert/strict'
import { type Case, test } from '../../case.ts'

const MALFORMED = '400 body_malformed'

export const decodingCases: readonly Case[] = [
  test('decoding/json [4] a body is parsed as JSON whatever its content type, and the answer is application/json', async (ctx) => {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const reply = await ctx.call('PUT', '/acl/token', {
        raw: ' {"Description" : "x"}\n',
        headers: { 'Content-Type': type },
      })
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('content-type'), 'application/json')
    }
  }),
  test('decoding/unknown-field [7/unknown-field, D/decoding/names, D/status/malformed-400, 9.3/1.7.0] 400 field_unknown: a field that the endpoint does not have, with its full path and a suggestion', async (ctx) => {
    const { AccessorID } = await ctx.token()
    const unknown: [object, string, RegExp][] = [
      [{ Foo: 1 }, 'Foo', /"Foo"$/],
      [{ description: 'x' }, 'description', /did you mean "Description"/],
      [{ Polices: [] }, 'Polices', /did you mean "Policies"/],
      [{ expiration_ttl: '1h' }, 'expiration_ttl', /did you mean "ExpirationTTL"/],
      [{ Policies: [{ ID: '' }, { Foo: 1 }] }, 'Policies[1].Foo', /"Policies\[1\]\.Foo"/],
      [
        { ServiceIdentities: [{ serviceName: 'web' }] },
        'ServiceIdentities[0].serviceName',
        /did you mean "ServiceName"/,
      ],
      [{ Type: 'client' }, 'Type', /"Type"/],
      [{ ID: 'x' }, 'ID', /"ID"/],
    ]
    for (const [body, field, text] of unknown) {
      for (const path of ['/acl/token', `/acl/token/${AccessorID}`]) {
        await ctx.refuses('PUT', path, { body }, `400 field_unknown ${field}`, text)
      }
    }
  }),
  test('decoding/wrong-type [D/status/malformed-400] 400 field_type: a field of the wrong type, with its full path', async (ctx) => {
    const wrong: [unknown, string | undefined][] = [
      [{ Description: 5 }, 'Description'],
      [{ Local: 'true' }, 'Local'],
      [{ Policies: {} }, 'Policies'],
      [{ Policies: ['x'] }, 'Policies[0]'],
      [{ Policies: [{ ID: 5 }] }, 'Policies[0].ID'],
      [{ ServiceIdentities: [{ ServiceName: 'a', Datacenters: 'dc1' }] }, 'ServiceIdentities[0].Datacenters'],
      [{ AccessorID: {} }, 'AccessorID'],
      [[], undefined],
      ['text', undefined],
      [5, undefined],
    ]
    for (const [body, field] of wrong) {
      const named = field === undefined ? '' : (` ${field}` as const)
      await ctx.refuses('PUT', '/acl/token', { body }, `400 field_type${named}`)
    }
  }),
  test('decoding/malformed [D/status/malformed-400] 400 body_malformed: a body that is not JSON; 400 body_required: no body, or only whitespace', async (ctx) => {
    for (const raw of [
      ...['{', '{"a"', '{"Description": "x",}', "{'a': 1}", 'nope', '{"Description": 01}', '\ufeff{}'],
      ...['{"a": NaN}'],
    ]) {
      await ctx.refuses('PUT', '/acl/token', { raw }, MALFORMED)
    }
    await ctx.refuses('PUT', '/acl/token', { raw: new Uint8Array([0x7b, 0xff, 0x7d]) }, MALFORMED)
    await ctx.refuses('PUT', '/acl/token', { raw: `${'['.repeat(33)}${']'.repeat(33)}` }, MALFORMED)
    for (const raw of ['', '  \n\t ']) {
      await ctx.refuses('PUT', '/acl/token', { raw }, '400 body_required')
    }
    await ctx.refuses('PUT', '/acl/token', {}, '400 body_required')
  }),
  test('decoding/strict [D/decoding/strict] 400 body_malformed: a second value, a duplicate key at any depth, __proto__', async (ctx) => {
    const bodies = [
      '{}{}',
      '{} null',
      '{"Description":"a","Description":"b"}',
      '{"Policies":[{"ID":"a","ID":"b"}]}',
      '{"__proto__":{"Local":true}}',
      '{"Policies":[{"__proto__":null}]}',
    ]
    for (const raw of bodies) await ctx.refuses('PUT', '/acl/token', { raw }, MALFORMED)
  }),
  test('decoding/null [D/decoding/null] null is treated as absent, for every field and for the whole body', async (ctx) => {
    const fields = [
      ...['AccessorID', 'SecretID', 'Description', 'Policies', 'Roles', 'ServiceIdentities'],
      ...['NodeIdentities', 'Local', 'AuthMethod', 'ExpirationTime', 'ExpirationTTL', 'Namespace'],
      ...['Rules'],
    ]
    const token = await ctx.token(Object.fromEntries(fields.map((field) => [field, null])))
    assert.equal(token.Description, '')
    assert.equal(token.Local, false)
    assert.equal((await ctx.ok('PUT', '/acl/token', { raw: 'null' })).Description, '')
    const { ID } = await ctx.policy()
    assert.equal((await ctx.token({ Policies: [{ ID, Name: null }] })).Policies?.length, 1)
  }),
  test('decoding/elements [D/decoding/elements] 400 field_type: a null element of a list', async (ctx) => {
    for (const list of ['Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities']) {
      await ctx.refuses('PUT', '/acl/token', { body: { [list]: [null] } }, `400 field_type ${list}[0]`)
    }
  }),
  test('decoding/ignored [D/decoding/ignored] CreateTime, Hash, CreateIndex and ModifyIndex in a body are accepted and ignored (API3: property level)', async (ctx) => {
    const forged = { CreateTime: '2000-01-01T00:00:00Z', Hash: 'AAAA', CreateIndex: 1, ModifyIndex: 9e9 }
    const token = await ctx.token(forged)
    for (const [field, value] of Object.entries(forged))
      assert.notEqual(Reflect.get(token, field), value, field)
    const plain = await ctx.token()
    assert.equal(token.Hash, plain.Hash)
  }),
  test('decoding/too-large [D/status/large-413] 413 body_too_large: a body above 1 MiB, a value of a key above 512 KiB; exactly these sizes pass', async (ctx) => {
    const bytes = 1_048_576
    const fill = (size: number) => `{"Description":"x"}${' '.repeat(size - 19)}`
    await ctx.ok('PUT', '/acl/token', { raw: fill(bytes) })
    await ctx.refuses('PUT', '/acl/token', { raw: fill(bytes + 1) }, '413 body_too_large', /1048576/)
    const path = `/kv/${ctx.unique('key')}`
    await ctx.ok('PUT', path, { raw: new Uint8Array(524_288) })
    await ctx.refuses('PUT', path, { raw: new Uint8Array(524_289) }, '413 body_too_large', /524288/)
  }),
  test('decoding/caller-first [D/status/order] 403 before 400: a caller without the right neither learns what is wrong with its body nor makes the service parse it (DOS-04)', async (ctx) => {
    const reader = await ctx.caller('acl = "read"')
    const refusal = '403 privilege_missing'
    for (const raw of ['{', '', '{"Foo":1}', ' '.repeat(1_048_577)]) {
      await ctx.refuses('PUT', '/acl/token', { raw, token: null }, refusal)
      await ctx.refuses('PUT', '/acl/token', { raw, token: reader.SecretID }, refusal)
    }
    const key = ctx.unique('key')
    const other = await ctx.caller(`key "${key}-other" { policy = "write" }`)
    for (const token of [other.SecretID, null]) {
      await ctx.refuses('PUT', `/kv/${key}`, { raw: ' '.repeat(524_289), token }, refusal)
    }
  }),
]
