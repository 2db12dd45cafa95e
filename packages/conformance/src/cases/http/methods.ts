/** Paths and methods. Spec 7, 9.4; INV-01, INV-02, INJ-02. */
import assert from 'node:assert/strict'
import type { AclErrorCode, Endpoint, Right } from '@latchkey/contract'
import { ENDPOINTS, parseServiceVersion, profileOf, REQUIRED_METHODS } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'

const EVERY_METHOD = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD'] as const

/** Rows of the extended edition. */
const NETWORK_AREA = '/operator/area/'

export const methodCases: readonly Case[] = [
  test('methods/table [9.4, 7/method, D/status/method-405, 9.3/1.0] 405 method_not_allowed with Allow: every row of the table with every wrong method; the right one is not 405 (INV-02)', async (ctx) => {
    for (const row of REQUIRED_METHODS) {
      const path = row.path.replace(':uuid', crypto.randomUUID()).replace(/\/$/, '/x')
      for (const method of EVERY_METHOD) {
        const reply = await ctx.call(method, path)
        if (row.path.startsWith(NETWORK_AREA) && ctx.target.traits.edition !== 'extended') {
          assert.equal(reply.status, 404, `${method} ${row.path}`)
          continue
        }
        if (method === row.method) {
          assert.notEqual(reply.status, 405, `${method} ${row.path}`)
          continue
        }
        assert.equal(reply.status, 405, `${method} ${row.path}`)
        assert.equal(reply.headers.get('allow'), `OPTIONS,${row.method}`, row.path)
        assert.equal(reply.text, method === 'HEAD' ? '' : `method ${method} not allowed`)
      }
    }
  }),
  test('methods/token-api [7/method, D/status/method-405] 405 method_not_allowed: token endpoints with a wrong method, for any caller; OPTIONS answers Allow', async (ctx) => {
    const id = crypto.randomUUID()
    const allowed: [string, string][] = [
      ['/acl/token', 'PUT'],
      ['/acl/tokens', 'GET'],
      ['/acl/token/self', 'GET'],
      [`/acl/token/${id}`, 'GET,PUT,DELETE'],
      [`/acl/token/${id}/clone`, 'GET,PUT,DELETE'],
      ['/acl/bootstrap', 'PUT'],
    ]
    for (const [path, methods] of allowed) {
      for (const method of EVERY_METHOD) {
        if (methods.split(',').includes(method)) continue
        const reply = await ctx.call(method, path, { token: null })
        assert.equal(reply.status, 405, `${method} ${path}`)
        assert.equal(reply.headers.get('allow'), `OPTIONS,${methods}`, path)
      }
      const options = await ctx.call('OPTIONS', path, { token: null })
      assert.deepEqual(
        [options.status, options.text, options.headers.get('allow')],
        [200, '', `OPTIONS,${methods}`],
      )
    }
    const text = 'method POST not allowed'
    await ctx.refuses('POST', '/acl/token', { token: null }, '405 method_not_allowed', text)
  }),
  test('methods/left-out [D/status/method-405] 501 endpoint_not_built: an endpoint outside the table of the spec; 405 for a wrong method', async (ctx) => {
    for (const [methods, path] of [
      ['GET', '/agent/connect/ca/roots'],
      ['GET', '/connect/ca/roots'],
      ['GET', '/event/list'],
    ] as const) {
      for (const method of methods.split(',')) {
        await ctx.refuses(method, path, {}, '501 endpoint_not_built')
      }
      const reply = await ctx.call('PATCH', path)
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, `OPTIONS,${methods}`], path)
    }
  }),
  test('methods/unknown-paths [D/status/order] 404 endpoint_unknown: a path that no endpoint has, with any method, before authentication (INV-01)', async (ctx) => {
    for (const path of ['/acl', '/acl/tokenz', '/acl/tokens/', '/ACL/tokens', '/acl/Token', '/nope']) {
      for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
        await ctx.refuses(method, path, { token: null }, '404 endpoint_unknown')
      }
    }
  }),
  test('methods/encodings [D/status/order] every encoding of a path reaches the same endpoint with the same decision; doubled slashes are redirected; control characters are 400 (INJ-02)', async (ctx) => {
    const { AccessorID, SecretID } = await ctx.token()
    const options = { token: SecretID }
    for (const path of [
      '/acl/token/se%6Cf',
      '/acl/token%2Fself',
      '/%61cl/token/self',
      '/acl/token/%73%65%6c%66',
    ]) {
      assert.equal((await ctx.ok('GET', path, options)).AccessorID, AccessorID, path)
    }
    for (const path of ['/acl%2Ftokens', '/acl/token%73', `/acl/token%2F${AccessorID}`]) {
      await ctx.refuses('GET', path, options, '403 privilege_missing')
    }
    const moved = await ctx.call('GET', '/acl//tokens?x=1', options)
    assert.deepEqual([moved.status, moved.headers.get('location')], [301, '/v1/acl/tokens?x=1'])
    for (const path of ['/acl/token/%00', '/acl/token/a%0d%0ab', '/kv/%7f']) {
      await ctx.refuses('GET', path, {}, '400 path_invalid')
    }
    assert.equal((await ctx.call('GET', '/acl/token/%zz')).status, 400)
    await ctx.refuses('GET', '/acl/tokens?policy=%zz', {}, '400 query_invalid')
  }),
  test('methods/matrix [4.1/Create, 4.1/Read, 4.1/Update, 4.1/Clone, 4.1/Delete, 4.1/List, 5.2, D/status/caller-403] every endpoint that needs a right refuses every kind of caller without it (AUTHZ-01)', (ctx) =>
    holdMatrix(ctx, (one) => !isOfLegacyApi(one) && one.edition === undefined, 25)),
  test('methods/matrix-legacy [9.1/1.11, 5.2] every legacy endpoint that needs a right refuses callers without it (AUTHZ-01)', (ctx) =>
    holdMatrix(ctx, isOfLegacyApi, 8)).needing({ from: '1.8.1', before: '1.11' }),
  test('methods/matrix-extended [D/namespaces/manage, 5.2] every endpoint of namespaces and areas refuses callers without its right (AUTHZ-01)', (ctx) =>
    holdMatrix(ctx, ({ edition }) => edition === 'extended', 11)).needing({ edition: 'extended' }),
  test('methods/datacenter [D/status/datacenter-400, D/status/order] 400 datacenter_unknown: every endpoint refuses a dc other than its own, for any caller; its own name and an empty one pass', async (ctx) => {
    const tree = ctx.unique('tree')
    await ctx.ok('PUT', `/kv/${tree}/key`, { raw: 'value' })
    const [own = ''] = await ctx.ok<string[]>('GET', '/catalog/datacenters')
    const refusal = '400 datacenter_unknown dc'
    const text = 'No path to datacenter'
    for (const endpoint of endpointsOf(ctx)) {
      const { method, body, path } = endpoint
      const filled = path.replace(/:\w+/, `${tree}/key`)
      const content = body === undefined ? {} : { raw: '{' }
      await ctx.refuses(method, `${filled}?dc=nowhere`, content, refusal, text)
      const other = await ctx.call(method, `${filled}?dc=nowhere`, { ...content, token: 'unknown' })
      assert.deepEqual([other.status, other.text], [400, text], `${method} ${path}`)
    }
    for (const dc of [own.toUpperCase(), `${own}%20`, `${own}/`, `nowhere&dc=${own}`]) {
      await ctx.refuses('DELETE', `/kv/${tree}?recurse&dc=${dc}`, {}, refusal)
    }
    await ctx.refuses('PUT', `/kv/${tree}/other?dc=nowhere`, { raw: 'value' }, refusal)
    assert.deepEqual(await ctx.ok('GET', `/kv/${tree}?keys&dc=${own}`), [`${tree}/key`])
    assert.deepEqual(await ctx.ok('GET', `/kv/${tree}?keys&dc=&dc=nowhere`), [`${tree}/key`])
    assert.equal(await ctx.ok('DELETE', `/kv/${tree}/key?dc=${own}`), true)
  }).needing({ from: '0.7' }),
]

/** Whether 1.11 removes an endpoint. */
export function isOfLegacyApi({ gate }: Endpoint): boolean {
  return gate === 'api.legacy' || gate === 'api.legacyTokenRules'
}

/** Every endpoint that the target has. */
function endpointsOf({ target }: Context): readonly Endpoint[] {
  const profile = profileOf(parseServiceVersion(target.traits.version))
  const endpoints = Object.values<Endpoint>(ENDPOINTS).filter(
    ({ gate, edition }) =>
      (gate === undefined || profile.has(gate)) &&
      (edition === undefined || edition === target.traits.edition),
  )
  assert(endpoints.length > 12, `only ${endpoints.length} endpoints`)
  return endpoints
}

/** Rules that grant less than the right. */
const LESSER_RULES: Partial<Record<Right, string>> = {
  'acl:write': 'acl = "read"',
  'operator:write': 'operator = "read"',
}

/** Rights that every caller has, and rights that depend on what is stored or named, which have their own cases. */
const DECIDED_ELSEWHERE: ReadonlySet<Right> = new Set([
  'none',
  'self',
  'intention',
  'catalog',
  'session',
  'transaction',
])

/**
 * Checks that every selected endpoint refuses callers without its right, with the right code.
 *
 * @param least minimum number of selected endpoints, so that a wrong filter fails.
 */
async function holdMatrix(
  ctx: Context,
  isChosen: (endpoint: Endpoint) => boolean,
  least: number,
): Promise<void> {
  const chosen = Object.entries<Endpoint>(ENDPOINTS).filter(
    ([, endpoint]) => !DECIDED_ELSEWHERE.has(endpoint.right) && isChosen(endpoint),
  )
  assert(chosen.length >= least, `only ${chosen.length} endpoints`)
  const deleted = await ctx.token()
  await ctx.ok('DELETE', `/acl/token/${deleted.AccessorID}`)
  const denied =
    'acl = "deny"\noperator = "deny"\nkey_prefix "" { policy = "deny" }\nagent_prefix "" { policy = "deny" }'
  const callers: [string | null, AclErrorCode][] = [
    [null, 'privilege_missing'],
    [(await ctx.caller('')).SecretID, 'privilege_missing'],
    [(await ctx.caller(denied)).SecretID, 'privilege_missing'],
    [crypto.randomUUID(), 'caller_unknown'],
    [deleted.SecretID, 'caller_unknown'],
    ['malformed', 'caller_unknown'],
    ['x'.repeat(4_096), 'caller_unknown'],
  ]
  const lesser = new Map<Right, string>()
  for (const [right, rules] of Object.entries(LESSER_RULES)) {
    lesser.set(right as Right, (await ctx.caller(rules)).SecretID)
  }
  for (const [name, { method, path, right }] of chosen) {
    const filled = path.replace(/:\w+/, crypto.randomUUID())
    const weak = lesser.get(right)
    const asked: typeof callers = weak === undefined ? callers : [...callers, [weak, 'privilege_missing']]
    for (const [token, code] of asked) {
      // These answers filter what the caller may read, and changes are authorized by the records that they affect.
      if (right === 'catalog' && code === 'privilege_missing') continue
      const reply = await ctx.call(method, filled, { token, headers: { Accept: 'application/problem+json' } })
      assert.equal(reply.status, 403, `${name} for ${code} answered ${reply.status} ${reply.text}`)
      assert.equal(JSON.parse(reply.text).code, code, name)
    }
  }
}
