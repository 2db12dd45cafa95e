/** Policies and roles. Spec 1, 2.2, 2.3; decisions: rule language. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Policy, Role, Token } from '@latchkey/contract'
import { type Case, test } from '../case.ts'
import type { Context } from '../context.ts'

/** Which of these checks a token with these rules passes. */
async function decide(ctx: Context, rules: readonly string[], checks: readonly string[]): Promise<boolean[]> {
  const Policies: Policy[] = []
  for (const text of rules) Policies.push(await ctx.policy(text))
  const { SecretID } = await ctx.token({ Policies: Policies.map(({ ID }) => ({ ID })) })
  return ctx.allows(SecretID, ...checks)
}

async function refuseRules(ctx: Context, Rules: string, line: number, column?: number): Promise<void> {
  const body = { Name: ctx.unique('policy'), Rules }
  await ctx.refuses('PUT', '/acl/policy', { body }, '400 rules_invalid')
  const reply = await ctx.call('PUT', '/acl/policy', {
    body,
    headers: { Accept: 'application/problem+json' },
  })
  const problem = JSON.parse(reply.text)
  assert.equal(problem.line, line, `line of ${JSON.stringify(Rules)}`)
  assert.equal(typeof problem.column, 'number')
  if (column !== undefined) assert.equal(problem.column, column, `column of ${JSON.stringify(Rules)}`)
}

export const policyRoleCases: readonly Case[] = [
  test('policies/record [2.2] a policy is created, read by ID and by name in any case, replaced by an update, listed without rules, deleted', async (ctx) => {
    const policy = await ctx.policy('acl = "read"', { Description: 'd', Datacenters: ['dc1'] })
    const keys = ['ID', 'Name', 'Description', 'Rules', 'Datacenters', 'Hash', 'CreateIndex', 'ModifyIndex']
    assert.deepEqual(Object.keys(policy), keys)
    assert.deepEqual(await ctx.ok('GET', `/acl/policy/${policy.ID}`), policy)
    assert.deepEqual(await ctx.ok('GET', `/acl/policy/name/${policy.Name.toUpperCase()}`), policy)
    const list = await ctx.ok<Policy[]>('GET', '/acl/policies')
    const { Rules: _, ...entry } = policy
    assert.deepEqual(
      list.find(({ ID }) => ID === policy.ID),
      entry,
    )
    const body = { Name: policy.Name }
    const updated = await ctx.ok<Policy>('PUT', `/acl/policy/${policy.ID}`, { body })
    assert.deepEqual([updated.Description, updated.Rules, updated.Datacenters], ['', '', undefined])
    assert.equal(await ctx.ok<boolean>('DELETE', `/acl/policy/${policy.ID}`), true)
    const missing = ['404 not_found', 'Requested policy does not exist: ACL not found'] as const
    await ctx.refuses('GET', `/acl/policy/${policy.ID}`, {}, ...missing)
    await ctx.refuses('GET', `/acl/policy/name/${policy.Name}`, {}, ...missing)
    await ctx.refuses('DELETE', `/acl/policy/${policy.ID}`, {}, ...missing)
  }).needing({ edition: 'standard' }),
  test('policies/names [D/status/taken-409, D/status/rule-400] 409 name_in_use: a policy or role name in use, in any case; 400: no name, or an invalid one', async (ctx) => {
    const policy = await ctx.policy()
    const role = await ctx.role()
    for (const [path, { Name }] of Object.entries({ '/acl/policy': policy, '/acl/role': role } as const)) {
      for (const taken of [Name, Name.toUpperCase()]) {
        await ctx.refuses('PUT', path, { body: { Name: taken } }, '409 name_in_use Name')
      }
      await ctx.refuses('PUT', path, { body: {} }, '400 field_required Name')
      for (const bad of ['a b', 'a/b', 'é', 'x'.repeat(257)]) {
        await ctx.refuses('PUT', path, { body: { Name: bad } }, '400 name_invalid Name')
      }
    }
  }),
  test('policies/import [D/status/taken-409] a policy or role keeps the ID in its body with `import` only: lower-case, a UUID that is not reserved, and free', async (ctx) => {
    for (const [path, kind] of [
      ['/acl/policy', 'policy'],
      ['/acl/role', 'role'],
    ] as const) {
      const ID = randomUUID()
      const bodyOf = (id: string) => ({ body: { Name: ctx.unique(kind), ID: id } })
      await ctx.refuses('PUT', path, bodyOf(ID), '400 field_invalid ID')
      const made = await ctx.ok<Policy>('PUT', `${path}?import`, bodyOf(ID.toUpperCase()))
      assert.equal(made.ID, ID)
      await ctx.refuses('PUT', `${path}?import`, bodyOf(ID), '409 id_in_use ID')
      for (const bad of ['x', '00000000-0000-0000-0000-00000000000f'])
        await ctx.refuses('PUT', `${path}?import`, bodyOf(bad), '400 id_invalid ID')
      await ctx.ok('DELETE', `${path}/${ID}`)
    }
  }),
  test('policies/builtin [D/status/rule-400] 400: the rules of global-management are changed, or it is deleted', async (ctx) => {
    const path = '/acl/policy/00000000-0000-0000-0000-000000000001'
    const { Name, Rules } = await ctx.ok<Policy>('GET', path)
    assert.equal(Name, 'global-management')
    const body = { Name, Rules: `${Rules}\n` }
    await ctx.refuses('PUT', path, { body }, '400 builtin_immutable Rules')
    await ctx.refuses('DELETE', path, {}, '400 delete_refused')
  }),
  test('policies/rights [5.2] 403 privilege_missing: policies and roles are read with acl:read and changed with acl:write', async (ctx) => {
    const { ID, Name } = await ctx.policy()
    const role = await ctx.role()
    const reads = ['/acl/policies', `/acl/policy/${ID}`, `/acl/policy/name/${Name}`]
    await ctx.needsRights(reads, '/acl/policy', `/acl/policy/${ID}`, { Name })
    const ofRole = ['/acl/roles', `/acl/role/${role.ID}`, `/acl/role/name/${role.Name}`]
    await ctx.needsRights(ofRole, '/acl/role', `/acl/role/${role.ID}`, { Name: role.Name })
  }),
  test('policies/datacenters [2.2] a policy for other datacenters grants no right here', async (ctx) => {
    const policy = await ctx.policy('key "a" { policy = "read" }', { Datacenters: ['elsewhere'] })
    const { SecretID } = await ctx.token({ Policies: [{ ID: policy.ID }] })
    assert.deepEqual(await ctx.allows(SecretID, 'key a read'), [false])
  }),
  test('roles/record [2.3] a role is created, read by ID and name, replaced by an update, listed, filtered by policy, deleted', async (ctx) => {
    const policy = await ctx.policy()
    const role = await ctx.role({
      Policies: [{ Name: policy.Name }],
      ServiceIdentities: [{ ServiceName: 'web' }],
    })
    assert.deepEqual(role.Policies, [{ ID: policy.ID, Name: policy.Name }])
    assert.deepEqual(await ctx.ok('GET', `/acl/role/${role.ID}`), role)
    assert.deepEqual(await ctx.ok('GET', `/acl/role/name/${role.Name}`), role)
    assert.deepEqual(await ctx.ok('GET', `/acl/roles?policy=${policy.ID}`), [role])
    const updated = await ctx.ok<Role>('PUT', `/acl/role/${role.ID}`, { body: { Name: role.Name } })
    assert(!('Policies' in updated) && !('ServiceIdentities' in updated))
    assert.deepEqual(await ctx.ok('GET', `/acl/roles?policy=${policy.ID}`), [])
    assert.equal(await ctx.ok<boolean>('DELETE', `/acl/role/${role.ID}`), true)
    await ctx.refuses('GET', `/acl/role/${role.ID}`, {}, '404 not_found')
    await ctx.refuses('DELETE', `/acl/role/${role.ID}`, {}, '404 not_found')
  }).needing({ edition: 'standard' }),
  test('roles/links-checked [2.3, D/status/rule-400] 400: a role links nothing, or has an identity that breaks the name rule', async (ctx) => {
    const Name = ctx.unique('role')
    const refuse = (fields: object, code: 'link_unknown' | 'name_invalid', field: string) =>
      ctx.refuses('PUT', '/acl/role', { body: { Name, ...fields } }, `400 ${code} ${field}`)
    await refuse({ Policies: [{ Name: 'none' }] }, 'link_unknown', 'Policies[0]')
    await refuse(
      { ServiceIdentities: [{ ServiceName: 'Web' }] },
      'name_invalid',
      'ServiceIdentities[0].ServiceName',
    )
  }),
  test('roles/deleted [2.3, D/records/links] a deleted role loses its effect at once and disappears from answers', async (ctx) => {
    const policy = await ctx.policy('acl = "read"')
    const role = await ctx.role({ Policies: [{ ID: policy.ID }] })
    const token = await ctx.token({ Roles: [{ ID: role.ID }] })
    await ctx.ok('GET', '/acl/tokens', { token: token.SecretID })
    await ctx.ok('DELETE', `/acl/role/${role.ID}`)
    await ctx.refuses('GET', '/acl/tokens', { token: token.SecretID }, '403 privilege_missing')
    assert(!('Roles' in (await ctx.ok<Token>('GET', `/acl/token/${token.AccessorID}`))))
  }),
  test('rules/forms [D/rules/forms] rules are HCL or JSON; a rule is exact or for a prefix; the exact rule wins, then the longest prefix', async (ctx) => {
    const hcl =
      'key_prefix "a/" { policy = "write" }\nkey_prefix "a/b" { policy = "read" }\nkey "a/bc" { policy = "deny" }'
    const json =
      '{"key_prefix":{"a/":{"policy":"write"},"a/b":{"policy":"read"}},"key":{"a/bc":{"policy":"deny"}}}'
    for (const rules of [hcl, json]) {
      const checks = [
        ...['key a/x write', 'key a/b write', 'key a/bd read', 'key a/bc read', 'key a/bcd read'],
        ...['key b read'],
      ]
      assert.deepEqual(await decide(ctx, [rules], checks), [true, false, true, false, true, false])
    }
  }),
  test('rules/ranking [D/rules/ranking] if several policies have a level for a segment, the strictest wins: deny, write, list, read', async (ctx) => {
    const rule = (level: string) => `key_prefix "a" { policy = "${level}" }`
    const checks = ['key a read', 'key a list', 'key a write']
    assert.deepEqual(await decide(ctx, [rule('read')], checks), [true, false, false])
    assert.deepEqual(await decide(ctx, [rule('read'), rule('list')], checks), [true, true, false])
    assert.deepEqual(await decide(ctx, [rule('write'), rule('read')], checks), [true, true, true])
    assert.deepEqual(await decide(ctx, [rule('write'), rule('deny'), rule('read')], checks), [
      false,
      false,
      false,
    ])
  }),
  test('rules/level-case [D/rules/levels] a level in another case is accepted, grants nothing and yields to a correct level; deny still denies', async (ctx) => {
    const hcl =
      'acl = "Write"\noperator = "WRITE"\nkeyring = "READ"\nkey_prefix "a" { policy = "WRITE" }\nservice "s" { policy = "write" intentions = "Write" }'
    const json =
      '{"acl":"Write","operator":"WRITE","keyring":"READ","key_prefix":{"a":{"policy":"WRITE"}},"service":{"s":{"policy":"write","intentions":"Write"}}}'
    const checks = [
      ...['acl  read', 'operator  read', 'keyring  read', 'key a read', 'service s write'],
      ...['intention s read'],
    ]
    for (const rules of [hcl, json]) {
      assert.deepEqual(await decide(ctx, [rules], checks), [false, false, false, false, true, false])
      // The correctly spelled level of another policy wins, in either order.
      const exact = 'operator = "read"\nkey_prefix "a" { policy = "read" }'
      for (const both of [
        [rules, exact],
        [exact, rules],
      ])
        assert.deepEqual(await decide(ctx, both, checks), [false, true, false, true, true, false])
    }
    // A deny in another spelling still denies.
    const wide = 'key_prefix "" { policy = "write" }'
    assert.deepEqual(await decide(ctx, [`${wide}\nkey "b" { policy = "READ" }`], ['key b write']), [false])
    assert.deepEqual(await decide(ctx, [wide, 'key_prefix "" { policy = "DENY" }'], ['key b read']), [false])
    const body = { Rules: hcl }
    const findings = await ctx.ok<{ Code: string }[]>('POST', '/acl/policy/lint', { body })
    assert.equal(findings.filter(({ Code }) => Code === 'level_case').length, 5)
  }),
  test('rules/unknown [D/rules/unknown] 400 rules_invalid: an unknown kind, key or level, or a syntax error, with line and column', async (ctx) => {
    await refuseRules(ctx, 'acl = "read"\nkeys "a" { policy = "read" }', 2, 1)
    await refuseRules(ctx, 'key "a" {\n  policy = "read"\n  polcy = "read"\n}', 3)
    await refuseRules(ctx, '\n\nacl = "all"', 3)
    await refuseRules(ctx, 'key "a" {', 1)
    await refuseRules(ctx, '{"acl":\n "read"', 2)
  }),
  test('rules/duplicates [D/rules/duplicates] 400 rules_invalid: the same block or attribute twice', async (ctx) => {
    await refuseRules(ctx, 'key "a" { policy = "read" }\nkey "a" { policy = "write" }', 2)
    await refuseRules(ctx, 'acl = "read"\nacl = "write"', 2)
  }),
  test('rules/text [D/rules/text] stored rules keep their text: comments, whitespace and order', async (ctx) => {
    const text = '# why\n\nkey   "b" {policy="read"} // end\n/* a */ acl = "read"\n'
    const { ID, Rules } = await ctx.policy(text)
    assert.equal(Rules, text)
    assert.equal((await ctx.ok<Policy>('GET', `/acl/policy/${ID}`)).Rules, text)
  }),
  test('policies/id-missing [D/status/rule-400] 400 id_missing: the error for a path without its id or name says which one is missing', async (ctx) => {
    for (const kind of ['policy', 'role']) {
      await ctx.refuses('GET', `/acl/${kind}/`, {}, '400 id_missing', `Missing ${kind} ID`)
      await ctx.refuses('GET', `/acl/${kind}/name/`, {}, '400 id_missing', `Missing ${kind} Name`)
    }
  }),
]
