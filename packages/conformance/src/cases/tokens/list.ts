/** Listing tokens. Spec 4.8. */
import assert from 'node:assert/strict'
import type { Role, Token, TokenListEntry } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'

async function accessors(ctx: Context, query: string): Promise<string[]> {
  return (await ctx.ok<TokenListEntry[]>('GET', `/acl/tokens?${query}`)).map(({ AccessorID }) => AccessorID)
}

export const listCases: readonly Case[] = [
  test('list/record [4.8, D/records/list, 4.10] a list shows the same records as reads, including the built-in tokens', async (ctx) => {
    const policy = await ctx.policy()
    const token = await ctx.token({
      Description: 'listed',
      Policies: [{ ID: policy.ID }],
      ExpirationTTL: '1h',
    })
    const list = await ctx.ok<TokenListEntry[]>('GET', '/acl/tokens')
    assert.deepEqual(
      list.find(({ AccessorID }) => AccessorID === token.AccessorID),
      token,
    )
    assert(list.some(({ AccessorID }) => AccessorID === '00000000-0000-0000-0000-000000000002'))
  }),
  test('list/secret [4.8/secret, 5.3, 2.1/SecretID, 4.1/List] a list shows real secrets to acl:write and <hidden> to acl:read (SEC-02)', async (ctx) => {
    const policy = await ctx.policy('acl = "read"')
    const reader = await ctx.token({ Policies: [{ ID: policy.ID }] })
    const path = `/acl/tokens?policy=${policy.ID}`
    assert.deepEqual(await ctx.ok('GET', path), [reader])
    const all = await ctx.call('GET', '/acl/tokens', { token: reader.SecretID })
    const entries: TokenListEntry[] = JSON.parse(all.text)
    assert(entries.every(({ SecretID }) => SecretID === '<hidden>'))
    assert(!all.text.includes(reader.SecretID))
    assert.deepEqual(await ctx.ok('GET', path, { token: reader.SecretID }), [
      { ...reader, SecretID: '<hidden>' },
    ])
  }),
  test('list/right [4.1/List, 5.2, D/status/right-403] 403 privilege_missing: a caller without acl:read, or an anonymous one, lists tokens', async (ctx) => {
    const powerless = await ctx.caller('operator = "write"')
    const refusal = ['403 privilege_missing', /lacks permission 'acl:read'/] as const
    for (const token of [powerless.SecretID, null])
      await ctx.refuses('GET', '/acl/tokens', { token }, ...refusal)
  }),
  test('list/by-policy [4.8/policy] the policy filter matches the linked policy ID, in any case; not its name, and not policies of roles', async (ctx) => {
    const policy = await ctx.policy()
    const role = await ctx.role({ Policies: [{ ID: policy.ID }] })
    const one = await ctx.token({ Policies: [{ ID: policy.ID }] })
    const two = await ctx.token({ Policies: [{ Name: policy.Name }] })
    await ctx.token({ Roles: [{ ID: role.ID }] })
    for (const id of [policy.ID, policy.ID.toUpperCase()]) {
      assert.deepEqual(await accessors(ctx, `policy=${id}`), [one.AccessorID, two.AccessorID])
      const roles = await ctx.ok<Role[]>('GET', `/acl/roles?policy=${id}`)
      assert.deepEqual(
        roles.map(({ ID }) => ID),
        [role.ID],
      )
    }
    assert.deepEqual(await accessors(ctx, `policy=${policy.Name}`), [])
    assert.deepEqual(await accessors(ctx, `policy=${crypto.randomUUID()}`), [])
  }),
  test('list/by-role [4.8/role] the role filter matches the linked role ID, in any case', async (ctx) => {
    const role = await ctx.role()
    const token = await ctx.token({ Roles: [{ Name: role.Name }] })
    await ctx.token()
    for (const id of [role.ID, role.ID.toUpperCase()]) {
      assert.deepEqual(await accessors(ctx, `role=${id}`), [token.AccessorID])
    }
    assert.deepEqual(await accessors(ctx, `role=${role.Name}`), [])
  }),
  test('list/by-auth-method [4.8/authmethod] the authmethod filter lists the tokens of an auth method: none if the method does not exist', async (ctx) => {
    await ctx.token()
    assert.deepEqual(await accessors(ctx, `authmethod=${ctx.unique('method')}`), [])
  }),
  test('list/one-filter [4.8, D/status/rule-400] 400 filter_conflict: two filters together; empty ones are treated as absent; of repeated ones the first applies', async (ctx) => {
    const policy = await ctx.policy()
    const token = await ctx.token({ Policies: [{ ID: policy.ID }] })
    for (const query of [
      'policy=a&role=b',
      'role=a&authmethod=b',
      'policy=a&authmethod=b',
      'servicename=c&policy=a',
    ]) {
      await ctx.refuses('GET', `/acl/tokens?${query}`, {}, '400 filter_conflict')
    }
    assert.deepEqual(await accessors(ctx, `policy=${policy.ID}&role=&policy=x`), [token.AccessorID])
    assert((await accessors(ctx, 'policy=')).length > 1)
  }),
  test('list/pages [4.8] every token that exists throughout the listing is on exactly one page, whatever is created and deleted during it (API-03)', async (ctx) => {
    const policy = await ctx.policy()
    const make = () => ctx.token({ Policies: [{ ID: policy.ID }] })
    const tokens: Token[] = []
    for (let i = 0; i < 17; i += 1) tokens.push(await make())
    for (const limit of [1, 5, 16, 17, 18, 1_000]) {
      const doomed = await make()
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query: string = `policy=${policy.ID}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`
        const reply = await ctx.call('GET', `/acl/tokens?${query}`)
        const page: TokenListEntry[] = JSON.parse(reply.text)
        assert(page.length <= limit)
        seen.push(...page.map(({ AccessorID }) => AccessorID))
        if (cursor === '') await ctx.ok('DELETE', `/acl/token/${doomed.AccessorID}`)
        cursor = reply.headers.get(ctx.header('Next-Cursor'))
        assert(cursor === null || page.length === limit, 'a page that is not full is the last')
      }
      const living = new Set(tokens.map(({ AccessorID }) => AccessorID))
      assert.deepEqual(
        seen.filter((id) => living.has(id)),
        [...living],
        `limit ${limit}`,
      )
    }
  }),
  test('list/page-bounds [D/status/malformed-400] 400 query_invalid: a limit that is 0, negative, above 1,000 or not a number; an unknown cursor (API-03)', async (ctx) => {
    for (const query of [
      ...['limit=0', 'limit=-1', 'limit=1001', 'limit=1e3', 'limit=NaN', 'limit=', 'limit=1.5'],
      ...['limit=0x10', 'limit=%205', 'limit=%D9%A3', `limit=${'9'.repeat(300)}`, 'cursor=x'],
    ]) {
      await ctx.refuses('GET', `/acl/tokens?${query}`, {}, '400 query_invalid')
    }
  }),
]
