/** Links and identities of tokens. Spec 2.2 to 2.5. */
import assert from 'node:assert/strict'
import type { Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'

/** Whether a token passes a check: resource, segment, access. */
async function may(ctx: Context, { SecretID }: Token, ...check: readonly string[]): Promise<boolean> {
  return (await ctx.allows(SecretID, check.join(' ')))[0] === true
}

const NAME_RULE = '400 name_invalid'
const GOOD_NAMES = ['a', '0', 'web', 'web-1', 'web_1', 'a--b', `a${'b'.repeat(254)}c`]
const BAD_NAMES = [
  ...['Web', '-web', 'web-', '_web', 'web_', 'we b', 'wéb', 'web.', 'web/x', '\u0024{web}', 'web\u0000'],
  ...['\u202eweb', `a${'b'.repeat(255)}c`],
]

export const linkCases: readonly Case[] = [
  test('links/policy [2.2, 2.1/Policies, D/records/links] a policy is linked by ID, by name in any case, or by both, and shown with both', async (ctx) => {
    const { ID, Name } = await ctx.policy()
    for (const link of [
      { ID },
      { ID: ID.toUpperCase() },
      { Name },
      { Name: Name.toUpperCase() },
      { ID, Name: 'stale' },
    ]) {
      assert.deepEqual((await ctx.token({ Policies: [link] })).Policies, [{ ID, Name }], JSON.stringify(link))
    }
  }),
  test('links/policy-renamed [2.2, D/records/links] a renamed policy stays linked and effective; links show the new name', async (ctx) => {
    const rules = 'key "a" { policy = "read" }'
    const policy = await ctx.policy(rules)
    const token = await ctx.token({ Policies: [{ Name: policy.Name }] })
    const Name = ctx.unique('renamed')
    await ctx.ok('PUT', `/acl/policy/${policy.ID}`, { body: { Name, Rules: rules } })
    const read = await ctx.ok<Token>('GET', `/acl/token/${token.AccessorID}`)
    assert.deepEqual(read.Policies, [{ ID: policy.ID, Name }])
    assert.equal(await may(ctx, token, 'key', 'a', 'read'), true)
  }),
  test('links/policy-deleted [D/records/links] a deleted policy loses its effect at once and disappears from answers; ModifyIndex is unchanged', async (ctx) => {
    const token = await ctx.caller('key "a" { policy = "read" }')
    const [link] = token.Policies ?? []
    await ctx.ok('DELETE', `/acl/policy/${link?.ID}`)
    assert.equal(await may(ctx, token, 'key', 'a', 'read'), false)
    const read = await ctx.ok<Token>('GET', `/acl/token/${token.AccessorID}`)
    assert(!('Policies' in read))
    assert.equal(read.ModifyIndex, token.ModifyIndex)
  }),
  test('links/role [2.3, 2.1/Roles] a role is linked by ID or by name, shown with both, and grants the rights of its policies; renaming it breaks nothing', async (ctx) => {
    const policy = await ctx.policy('key "a" { policy = "read" }')
    const { ID, Name } = await ctx.role({ Policies: [{ ID: policy.ID }] })
    for (const link of [{ ID }, { Name }, { Name: Name.toUpperCase() }, { ID, Name: 'stale' }]) {
      const token = await ctx.token({ Roles: [link] })
      assert.deepEqual(token.Roles, [{ ID, Name }], JSON.stringify(link))
      assert.equal(await may(ctx, token, 'key', 'a', 'read'), true)
    }
    const token = await ctx.token({ Roles: [{ Name }] })
    const renamed = ctx.unique('renamed')
    await ctx.ok('PUT', `/acl/role/${ID}`, { body: { Name: renamed } })
    assert.deepEqual((await ctx.ok<Token>('GET', `/acl/token/${token.AccessorID}`)).Roles, [
      { ID, Name: renamed },
    ])
    assert.equal(await may(ctx, token, 'key', 'a', 'read'), false)
  }),
  test('links/unknown [2.2, 2.3, D/status/rule-400] 400 link_unknown: a link to a missing target, with its position', async (ctx) => {
    const policy = await ctx.policy()
    const id = crypto.randomUUID()
    for (const [field, what] of Object.entries({ Policies: 'policy', Roles: 'role' } as const)) {
      for (const [link, said] of [
        [{ Name: 'none' }, 'name "none"'],
        [{ ID: id }, `ID "${id}"`],
        [{}, 'name ""'],
        [{ ID: 'x' }, 'ID "x"'],
      ] as const) {
        const text = `No such ACL ${what} with ${said}`
        const refusal = [`400 link_unknown ${field}[0]`, text] as const
        await ctx.refuses('PUT', '/acl/token', { body: { [field]: [link] } }, ...refusal)
      }
    }
    const body = { Policies: [{ ID: policy.ID }, { Name: 'none' }] }
    await ctx.refuses('PUT', '/acl/token', { body }, '400 link_unknown Policies[1]')
  }),
  test('links/repeated [2.2] a repeated link is kept once, at its first position', async (ctx) => {
    const [one, two] = [await ctx.policy(), await ctx.policy()]
    const { Policies } = await ctx.token({
      Policies: [{ ID: two.ID }, { Name: one.Name }, { Name: two.Name }, { ID: one.ID }],
    })
    assert.deepEqual(
      Policies?.map(({ ID }) => ID),
      [two.ID, one.ID],
    )
  }),
  test('links/service-identity [2.1/ServiceIdentities] a service identity grants write on the service and its sidecar, and read on services and nodes', async (ctx) => {
    const ServiceName = ctx.unique('web')
    const token = await ctx.token({ ServiceIdentities: [{ ServiceName }] })
    assert.deepEqual(token.ServiceIdentities, [{ ServiceName }])
    assert.equal(await may(ctx, token, 'service', ServiceName, 'write'), true)
    assert.equal(await may(ctx, token, 'service', `${ServiceName}-sidecar-proxy`, 'write'), true)
    assert.equal(await may(ctx, token, 'service', 'other', 'read'), true)
    assert.equal(await may(ctx, token, 'service', 'other', 'write'), false)
    assert.equal(await may(ctx, token, 'node', 'any', 'read'), true)
    assert.equal(await may(ctx, token, 'node', 'any', 'write'), false)
  }),
  test('links/service-name [2.4/ServiceName, 8/names] 400 name_invalid: a service name that breaks the name rule; 256 characters pass, 257 do not (INJ-03)', async (ctx) => {
    for (const ServiceName of GOOD_NAMES) await ctx.token({ ServiceIdentities: [{ ServiceName }] })
    for (const ServiceName of BAD_NAMES) {
      const body = { ServiceIdentities: [{ ServiceName }] }
      await ctx.refuses(
        'PUT',
        '/acl/token',
        { body },
        `${NAME_RULE} ServiceIdentities[0].ServiceName`,
        'Service identity "',
      )
    }
    for (const identity of [{}, { ServiceName: '' }]) {
      await ctx.refuses(
        'PUT',
        '/acl/token',
        { body: { ServiceIdentities: [identity] } },
        '400 field_required ServiceIdentities[0].ServiceName',
      )
    }
  }),
  test('links/service-datacenters [2.4/Datacenters] a service identity is valid in its datacenters, or everywhere without any; equal names merge, others are kept as given', async (ctx) => {
    const [here = ''] = await ctx.ok<string[]>('GET', '/catalog/datacenters')
    const ServiceName = ctx.unique('web')
    const isValid = async (Datacenters: string[]) =>
      may(
        ctx,
        await ctx.token({ ServiceIdentities: [{ ServiceName, Datacenters }] }),
        'service',
        ServiceName,
        'write',
      )
    assert.equal(await isValid([]), true)
    assert.equal(await isValid(['elsewhere', here]), true)
    assert.equal(await isValid(['elsewhere']), false)
    const merged = await ctx.token({
      ServiceIdentities: [
        { ServiceName, Datacenters: ['b'] },
        { ServiceName: 'a', Datacenters: ['b'] },
        { ServiceName, Datacenters: ['a', 'b'] },
        { ServiceName: 'a' },
      ],
    })
    assert.deepEqual(merged.ServiceIdentities, [
      { ServiceName: 'a' },
      { ServiceName, Datacenters: ['a', 'b'] },
    ])
    const given = { ServiceName, Datacenters: ['b', 'a', 'b'] }
    const alone = await ctx.token({ ServiceIdentities: [given] })
    assert.deepEqual(alone.ServiceIdentities, [given])
    const several = await ctx.role({ ServiceIdentities: [given, { ServiceName: 'a' }] })
    assert.deepEqual(several.ServiceIdentities, [{ ServiceName: 'a' }, given])
  }),
  test('links/local-datacenters [D/tokens/local-datacenters] 400 field_invalid: a service identity with Datacenters on a local token', async (ctx) => {
    const ServiceIdentities = [{ ServiceName: 'web', Datacenters: ['dc1'] }]
    await ctx.refuses(
      'PUT',
      '/acl/token',
      { body: { Local: true, ServiceIdentities } },
      '400 field_invalid ServiceIdentities[0].Datacenters',
    )
    const local = await ctx.token({ Local: true, ServiceIdentities: [{ ServiceName: 'web' }] })
    await ctx.refuses(
      'PUT',
      `/acl/token/${local.AccessorID}`,
      { body: { Local: true, ServiceIdentities } },
      '400 field_invalid ServiceIdentities[0].Datacenters',
    )
  }),
  test('links/node-identity [2.1/NodeIdentities, 2.5/Datacenter] a node identity grants write on the node and read on services, only in its datacenter', async (ctx) => {
    const [here = ''] = await ctx.ok<string[]>('GET', '/catalog/datacenters')
    const NodeName = ctx.unique('node')
    const token = await ctx.token({ NodeIdentities: [{ NodeName, Datacenter: here }] })
    assert.deepEqual(token.NodeIdentities, [{ NodeName, Datacenter: here }])
    assert.equal(await may(ctx, token, 'node', NodeName, 'write'), true)
    assert.equal(await may(ctx, token, 'service', 'any', 'read'), true)
    assert.equal(await may(ctx, token, 'node', 'other', 'write'), false)
    const away = await ctx.token({ NodeIdentities: [{ NodeName, Datacenter: 'elsewhere' }] })
    assert.equal(await may(ctx, away, 'node', NodeName, 'write'), false)
    await ctx.refuses(
      'PUT',
      '/acl/token',
      { body: { NodeIdentities: [{ NodeName }] } },
      '400 field_required NodeIdentities[0].Datacenter',
    )
  }),
  test('links/node-name [2.5/NodeName, 8/names] 400 name_invalid: a node name that breaks the name rule; 256 characters pass, 257 do not (INJ-03)', async (ctx) => {
    for (const NodeName of GOOD_NAMES) await ctx.token({ NodeIdentities: [{ NodeName, Datacenter: 'dc1' }] })
    for (const NodeName of BAD_NAMES) {
      const body = { NodeIdentities: [{ NodeName, Datacenter: 'dc1' }] }
      await ctx.refuses('PUT', '/acl/token', { body }, `${NAME_RULE} NodeIdentities[0].NodeName`)
    }
    await ctx.refuses(
      'PUT',
      '/acl/token',
      { body: { NodeIdentities: [{ Datacenter: 'dc1' }] } },
      '400 field_required NodeIdentities[0].NodeName',
    )
  }),
]
