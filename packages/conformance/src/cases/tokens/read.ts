/** Reading tokens. Spec 4.3, 4.4, 5.3. */
import assert from 'node:assert/strict'
import type { ExpandedToken, Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'

export const readCases: readonly Case[] = [
  test('read/record [4.3] a read answers the same record as the create, whatever the case of the path', async (ctx) => {
    const token = await ctx.token({ Description: 'read' })
    assert.deepEqual(await ctx.ok('GET', `/acl/token/${token.AccessorID}`), token)
    assert.deepEqual(await ctx.ok('GET', `/acl/token/${token.AccessorID.toUpperCase()}`), token)
  }),
  test('read/secret [4.3/secret, 5.3, 2.1/SecretID, 4.1/Read] SecretID is real for acl:write and <hidden> for acl:read, for other tokens and its own (SEC-02)', async (ctx) => {
    const token = await ctx.token()
    const reader = await ctx.caller('acl = "read"')
    const writer = await ctx.caller('acl = "write"')
    const seenBy = async (caller: Token, of: Token) => {
      const reply = await ctx.call('GET', `/acl/token/${of.AccessorID}`, { token: caller.SecretID })
      assert(caller === writer || !reply.text.includes(of.SecretID), 'the answer holds the secret')
      return JSON.parse(reply.text).SecretID
    }
    assert.equal(await seenBy(writer, token), token.SecretID)
    assert.equal(await seenBy(reader, token), '<hidden>')
    assert.equal(await seenBy(reader, reader), '<hidden>')
  }),
  test('read/right [4.1/Read, 5.2, D/status/right-403] 403 privilege_missing: a caller without acl:read reads a token, even its own, or one that does not exist', async (ctx) => {
    const powerless = await ctx.caller('')
    const other = await ctx.token()
    const text = `Permission denied: token with AccessorID '${powerless.AccessorID}' lacks permission 'acl:read'`
    for (const accessor of [other.AccessorID, powerless.AccessorID, crypto.randomUUID()]) {
      const refusal = ['403 privilege_missing', text] as const
      await ctx.refuses('GET', `/acl/token/${accessor}`, { token: powerless.SecretID }, ...refusal)
    }
  }),
  test('read/missing [D/status/target-404] 404 not_found: a token that does not exist', async (ctx) => {
    const refusal = ['404 not_found', 'Requested token does not exist: ACL not found'] as const
    await ctx.refuses('GET', `/acl/token/${crypto.randomUUID()}`, {}, ...refusal)
  }),
  test('read/malformed [D/status/rule-400] 400: a path with an accessor that is not a UUID, or without one', async (ctx) => {
    for (const bad of [
      ...['x', 'self/', 'self/x', 'a/clone', '..%2Fpolicies', '%27%20OR%201%3D1'],
      ...[`${crypto.randomUUID()}x`],
    ]) {
      await ctx.refuses('GET', `/acl/token/${bad}`, {}, '400 id_invalid AccessorID')
    }
    await ctx.refuses('GET', '/acl/token/', {}, '400 id_missing AccessorID')
  }),
  test('read/expanded [4.3/expanded, D/records/expanded, 4.10] expanded adds the policies of the token, of its roles and of its identities, its roles, and the defaults', async (ctx) => {
    const direct = await ctx.policy('key "a" { policy = "read" }')
    const through = await ctx.policy('key "b" { policy = "read" }')
    const role = await ctx.role({
      Policies: [{ ID: through.ID }],
      ServiceIdentities: [{ ServiceName: 'web' }],
    })
    const token = await ctx.token({
      Policies: [{ ID: direct.ID }],
      Roles: [{ ID: role.ID }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    })
    for (const query of ['expanded', 'expanded=', 'expanded=true', 'expanded=1']) {
      const expanded = await ctx.ok<ExpandedToken>('GET', `/acl/token/${token.AccessorID}?${query}`)
      const { ExpandedPolicies, ExpandedRoles, ...rest } = expanded
      assert.deepEqual(
        ExpandedPolicies?.filter(({ ID }) => ID === direct.ID || ID === through.ID),
        [direct, through],
      )
      const synthetic =
        ExpandedPolicies?.filter(({ Description }) => Description.startsWith('synthetic policy')) ?? []
      assert.equal(synthetic.length, 2)
      assert(synthetic.some(({ Rules }) => Rules.includes('service "web" {\n\tpolicy = "write"')))
      assert(
        synthetic.some(({ Rules, Datacenters }) => Rules.includes('node "n1"') && Datacenters?.[0] === 'dc1'),
      )
      assert(synthetic.every(({ ID, Name }) => Name === `synthetic-policy-${ID}`))
      assert.deepEqual(ExpandedRoles, [role])
      assert.equal(rest.NamespaceDefaultPolicyIDs, null)
      assert.equal(rest.NamespaceDefaultRoleIDs, null)
      assert.equal(rest.AgentACLDefaultPolicy, 'deny')
      assert.equal(rest.AgentACLDownPolicy, 'extend-cache')
      assert.equal(typeof rest.ResolvedByAgent, 'string')
      for (const [key, value] of Object.entries(token)) assert.deepEqual(Reflect.get(rest, key), value, key)
    }
  }),
  test('read/expanded-bound [4.3/expanded] 413: the rules of the identities of a token exceed 4 MiB together; without `expanded` it is read', async (ctx) => {
    const roleOf = (prefix: string) =>
      ctx.role({
        ServiceIdentities: Array.from({ length: 1_000 }, (_, i) => ({
          ServiceName: `${prefix}-${i}-`.padEnd(256, 's'),
        })),
      })
    const Roles: { ID: string }[] = []
    for (const prefix of ['a', 'b', 'c']) Roles.push({ ID: (await roleOf(prefix)).ID })
    const [first] = Roles
    const { AccessorID: fine } = await ctx.token({ Roles: first ? [first] : [] })
    const { ExpandedPolicies } = await ctx.ok<ExpandedToken>('GET', `/acl/token/${fine}?expanded`)
    assert((ExpandedPolicies?.length ?? 0) >= 1_000)
    for (const prefix of ['d', 'e', 'f', 'g']) Roles.push({ ID: (await roleOf(prefix)).ID })
    const { AccessorID } = await ctx.token({ Roles })
    await ctx.refuses('GET', `/acl/token/${AccessorID}?expanded`, {}, '413 answer_too_large')
    await ctx.ok('GET', `/acl/token/${AccessorID}`)
  }),
  test('read/expanded-nothing [D/records/expanded] expanded lists that would be empty are null; expanded=false is the plain record', async (ctx) => {
    const token = await ctx.token()
    const expanded = await ctx.ok('GET', `/acl/token/${token.AccessorID}?expanded`)
    assert.equal(expanded.ExpandedPolicies, null)
    assert.equal(expanded.ExpandedRoles, null)
    for (const query of ['expanded=false', 'Expanded'])
      assert.deepEqual(await ctx.ok('GET', `/acl/token/${token.AccessorID}?${query}`), token)
  }),
  test('read/expanded-secret [4.3/secret] expanded redacts secrets like the plain read', async (ctx) => {
    const token = await ctx.token()
    const reader = await ctx.caller('acl = "read"')
    const reply = await ctx.call('GET', `/acl/token/${token.AccessorID}?expanded`, { token: reader.SecretID })
    assert.equal(JSON.parse(reply.text).SecretID, '<hidden>')
    assert(!reply.text.includes(token.SecretID))
  }),
  test('self/record [4.4, 4.1/Read self, 5.2] self answers the presented token with its real secret, whatever its rights', async (ctx) => {
    for (const rules of ['', 'acl = "deny"', 'acl = "read"']) {
      const token = await ctx.caller(rules)
      assert.deepEqual(await ctx.ok('GET', '/acl/token/self', { token: token.SecretID }), token)
    }
  }),
  test('self/nobody [4.4, D/status/caller-403] 403 caller_unknown: self without a token, with an unknown one, or with an accessor', async (ctx) => {
    const { AccessorID } = await ctx.token()
    const refusal = ['403 caller_unknown', 'ACL not found'] as const
    for (const token of [null, crypto.randomUUID(), AccessorID]) {
      await ctx.refuses('GET', '/acl/token/self', { token }, ...refusal)
    }
  }),
  test('self/anonymous [4.4] the secret `anonymous` presents the anonymous token', async (ctx) => {
    const { AccessorID } = await ctx.ok('GET', '/acl/token/self', { token: 'anonymous' })
    assert.equal(AccessorID, '00000000-0000-0000-0000-000000000002')
  }),
  test('self/deleted [4.4, D/status/caller-403] 403 caller_unknown: the token was just deleted', async (ctx) => {
    const token = await ctx.token()
    await ctx.ok('GET', '/acl/token/self', { token: token.SecretID })
    await ctx.ok('DELETE', `/acl/token/${token.AccessorID}`)
    await ctx.refuses('GET', '/acl/token/self', { token: token.SecretID }, '403 caller_unknown')
  }),
]
