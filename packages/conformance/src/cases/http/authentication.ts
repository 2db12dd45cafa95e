/** Authentication of requests. Spec 5.1; decisions: authentication; INJ-05, FUZ-03, SEC-01. */
import assert from 'node:assert/strict'
import { HEADER_PREFIXES_DEFAULT, type Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { AskOptions, Context } from '../../context.ts'

/** The accessor that the target finds for the caller of a request. */
async function whoIs(ctx: Context, path: string, options: AskOptions): Promise<string> {
  return (await ctx.ok<Token>('GET', `/acl/token/self${path}`, { token: null, ...options })).AccessorID
}

const UNKNOWN = ['403 caller_unknown', 'ACL not found'] as const

export const authenticationCases: readonly Case[] = [
  test('auth/header [5.1] the secret is read from the token header or the token query parameter', async (ctx) => {
    const { AccessorID, SecretID } = await ctx.token()
    assert.equal(await whoIs(ctx, '', { headers: { [ctx.header('Token')]: SecretID } }), AccessorID)
    assert.equal(
      await whoIs(ctx, '', { headers: { [ctx.header('Token').toLowerCase()]: `  ${SecretID} ` } }),
      AccessorID,
    )
    assert.equal(await whoIs(ctx, `?token=${SecretID}`, {}), AccessorID)
  }),
  test('auth/bearer [D/auth/sources] Authorization: Bearer is accepted, the scheme in any case; other schemes and bare values are ignored', async (ctx) => {
    const { AccessorID, SecretID } = await ctx.token()
    for (const value of [`Bearer ${SecretID}`, `bearer  ${SecretID}`, `BEARER ${SecretID} rest`]) {
      assert.equal(
        await whoIs(ctx, '', { headers: { Authorization: value } }),
        AccessorID,
        value.split(' ')[0],
      )
    }
    for (const value of [
      SecretID,
      `Basic ${SecretID}`,
      `Bearer${SecretID}`,
      'Bearer',
      'Bearer ',
      `Token ${SecretID}`,
    ]) {
      await ctx.refuses(
        'GET',
        '/acl/token/self',
        { token: null, headers: { Authorization: value } },
        ...UNKNOWN,
      )
    }
  }),
  test('auth/order [D/auth/sources] the query takes precedence over the header, the header over bearer; an empty source is skipped, a wrong one never falls through', async (ctx) => {
    const [query, header, bearer] = [await ctx.token(), await ctx.token(), await ctx.token()]
    const both = { [ctx.header('Token')]: header.SecretID, Authorization: `Bearer ${bearer.SecretID}` }
    assert.equal(await whoIs(ctx, `?token=${query.SecretID}`, { headers: both }), query.AccessorID)
    assert.equal(await whoIs(ctx, '', { headers: both }), header.AccessorID)
    assert.equal(await whoIs(ctx, '?token=', { headers: both }), header.AccessorID)
    assert.equal(await whoIs(ctx, '', { headers: { ...both, [ctx.header('Token')]: '' } }), bearer.AccessorID)
    const wrong = crypto.randomUUID()
    await ctx.refuses('GET', `/acl/token/self?token=${wrong}`, { token: null, headers: both }, ...UNKNOWN)
    const wrongHeader = { ...both, [ctx.header('Token')]: wrong }
    await ctx.refuses('GET', '/acl/token/self', { token: null, headers: wrongHeader }, ...UNKNOWN)
  }),
  test('auth/anonymous [D/auth/sources, D/tokens/anonymous] without a secret, and with the secret `anonymous`, the caller is the anonymous token; other callers do not get its rights', async (ctx) => {
    const refused = await ctx.call('GET', '/acl/tokens', { token: null })
    assert.match(refused.text, /^Permission denied: anonymous token lacks permission 'acl:read'/)
    const named = await ctx.call('GET', '/acl/tokens', { token: 'anonymous' })
    assert.equal(named.text, refused.text)
  }),
  test('auth/never-a-secret [D/records/hidden, D/status/caller-403] 403 caller_unknown: the redaction text, root names, or a secret that was never issued (SEC-01)', async (ctx) => {
    const { SecretID } = await ctx.token()
    const never = [
      ...['<hidden>', 'allow', 'deny', 'manage', 'null', 'undefined', '0', SecretID.toUpperCase()],
      ...[`${SecretID}0`, SecretID.slice(0, -1)],
    ]
    for (const token of never) {
      if (token === SecretID) continue
      await ctx.refuses('GET', '/acl/token/self', { token }, ...UNKNOWN)
      await ctx.refuses('GET', '/acl/tokens', { token }, ...UNKNOWN)
    }
  }),
  test('auth/hidden-not-stored [D/records/hidden] 400 id_invalid: a new token is given the redaction text as its secret (SEC-01)', async (ctx) => {
    const body = { SecretID: '<hidden>' }
    await ctx.refuses('PUT', '/acl/token', { body }, '400 id_invalid SecretID')
  }),
  test('auth/dialect [D/auth/families, D/status/delete-404] refusals for the family X-Consul- have the statuses and sentences that its clients match; problem documents have ours', async (ctx) => {
    const headers = { 'X-Consul-Token': ctx.target.token }
    if ((await ctx.call('GET', '/acl/token/self', { token: null, headers })).status !== 200) return
    const body = { Name: (await ctx.policy()).Name }
    const unknown = crypto.randomUUID()
    const rows = [
      ['PUT', '/acl/policy', 409, 500, `Invalid Policy: A Policy with Name "${body.Name}" already exists`],
      ['PUT', `/acl/policy/${unknown}`, 404, 500, `cannot find policy ${unknown}`],
      ['PUT', '/kv/dialect?flags=x', 400, 500, 'strconv.ParseUint: parsing "x": invalid syntax'],
      ['GET', `/acl/token/${unknown}`, 404, 403, 'ACL not found'],
      ['GET', `/acl/policy/${unknown}`, 404, 403, 'ACL not found'],
      ...['token', 'policy', 'role', 'binding-rule'].map(
        (kind) => ['DELETE', `/acl/${kind}/${unknown}`, 404, 200, 'true'] as const,
      ),
      ['DELETE', '/acl/auth-method/unknown', 404, 200, 'true'],
    ] as const
    for (const [method, path, own, theirs, text] of rows) {
      const request = method === 'PUT' ? { token: null, body } : { token: null }
      const reply = await ctx.call(method, path, { ...request, headers })
      const accept = { Accept: 'application/problem+json' }
      const problem = await ctx.call(method, path, { ...request, headers: { ...headers, ...accept } })
      assert.deepEqual([reply.status, problem.status], [theirs, own], `${method} ${path}`)
      assert.equal(reply.text, text)
      assert.notEqual(JSON.parse(problem.text).detail, '')
    }
  }),
  test('auth/families [D/auth/families] an answer has the headers of the family that the request used, or of every family if it used none', async (ctx) => {
    const { SecretID } = await ctx.token()
    const self = '/acl/token/self'
    const names = ['Index', 'KnownLeader', 'LastContact', 'Default-ACL-Policy']
    const accepted: string[] = []
    for (const prefix of new Set([ctx.target.prefix, ...HEADER_PREFIXES_DEFAULT])) {
      const headers = { [`${prefix}Token`]: SecretID }
      const reply = await ctx.call('GET', self, { token: null, headers })
      if (reply.status === 200) accepted.push(prefix)
    }
    const shown = (headers: Headers) =>
      accepted.filter((prefix) => names.some((name) => headers.has(`${prefix}${name}`)))
    for (const prefix of accepted) {
      const headers = { [`${prefix}Token`]: SecretID }
      assert.deepEqual(shown((await ctx.call('GET', self, { token: null, headers })).headers), [prefix])
    }
    const bearer = { Authorization: `Bearer ${SecretID}` }
    const replies = [
      await ctx.call('GET', self, { token: null, headers: bearer }),
      await ctx.call('GET', `${self}?token=${SecretID}`, { token: null }),
      await ctx.call('GET', `/kv/${ctx.unique('tree')}?keys`, { token: null }),
    ]
    for (const { headers } of replies) {
      for (const prefix of accepted) {
        for (const name of names) {
          const [value, first] = [prefix, accepted[0]].map((family) => headers.get(`${family}${name}`))
          assert(value, `${prefix}${name} is not there`)
          assert.equal(value, first)
        }
      }
    }
  }),
  test('auth/query-warning [D/auth/query] an answer has a deprecation warning if the token was in the query, and none if it was in a header', async (ctx) => {
    const { SecretID } = await ctx.token()
    const inQuery = await ctx.call('GET', `/acl/token/self?token=${SecretID}`, { token: null })
    assert.match(inQuery.headers.get('warning') ?? '', /^299 - ".*deprecated/)
    assert.equal((await ctx.call('GET', '/acl/token/self', { token: SecretID })).headers.get('warning'), null)
  }),
  test('auth/body-does-not-count [5.1] neither a body nor any other query option sets the caller (AUTHZ-01)', async (ctx) => {
    const { SecretID, AccessorID } = await ctx.token()
    const refusal = ['403 privilege_missing', 'Permission denied: anonymous token'] as const
    const body = { SecretID: ctx.target.token, AccessorID }
    await ctx.refuses('PUT', '/acl/token', { token: null, body }, ...refusal)
    await ctx.refuses(
      'GET',
      `/acl/tokens?Token=${SecretID}&secret=${SecretID}&accessor=${AccessorID}`,
      { token: null },
      ...refusal,
    )
  }),
]
