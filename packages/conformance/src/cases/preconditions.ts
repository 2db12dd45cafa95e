/** Writes that depend on the state of their record: the header `If-Match`. Decisions: optimistic writes. */
import assert from 'node:assert/strict'
import { type Case, test } from '../case.ts'
import type { Context } from '../context.ts'

interface Written {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly record: { readonly ModifyIndex: number }
}

/** A record of every kind that takes the header. */
async function written(ctx: Context): Promise<readonly Written[]> {
  const token = await ctx.token()
  const policy = await ctx.policy()
  const role = await ctx.role()
  const Name = ctx.unique('method')
  const key =
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n'
  const method = { Name, Type: 'jwt', MaxTokenTTL: '15m', Config: { JWTValidationPubKeys: [key] } }
  const rule = { AuthMethod: Name, BindType: 'role', BindName: 'r' }
  const made = await ctx.ok<Written['record']>('PUT', '/acl/auth-method', { body: method })
  const bound = await ctx.ok<Written['record'] & { ID: string }>('PUT', '/acl/binding-rule', { body: rule })
  return [
    { path: `/acl/token/${token.AccessorID}`, body: { Description: 'x' }, record: token },
    { path: `/acl/policy/${policy.ID}`, body: { Name: policy.Name, Description: 'x' }, record: policy },
    { path: `/acl/role/${role.ID}`, body: { Name: role.Name, Description: 'x' }, record: role },
    { path: `/acl/binding-rule/${bound.ID}`, body: { ...rule, Description: 'x' }, record: bound },
    { path: `/acl/auth-method/${Name}`, body: { ...method, Description: 'x' }, record: made },
  ]
}

const over = (index: number | string) => ({ 'If-Match': `"${index}"` })

export const preconditionCases: readonly Case[] = [
  test('preconditions/index [D/writes/if-match] 412 precondition_failed: an update or delete of a record of any kind that has another ModifyIndex; the refusal names the current one', async (ctx) => {
    for (const { path, body, record } of await written(ctx)) {
      const first = over(record.ModifyIndex)
      const updated = await ctx.ok<Written['record']>('PUT', path, { body, headers: first })
      assert(updated.ModifyIndex > record.ModifyIndex)
      for (const index of [record.ModifyIndex, updated.ModifyIndex + 1, 0]) {
        const headers = over(index)
        const refusal = '412 precondition_failed If-Match'
        const words = `If-Match: the record has ModifyIndex ${updated.ModifyIndex}, not ${index}`
        await ctx.refuses('PUT', path, { body, headers }, refusal, words)
        await ctx.refuses('DELETE', path, { headers }, refusal, words)
      }
      const accept = { Accept: 'application/problem+json', ...first }
      const { text } = await ctx.call('DELETE', path, { headers: accept })
      assert.equal(JSON.parse(text).index, updated.ModifyIndex)
      assert.equal(await ctx.ok('DELETE', path, { headers: over(updated.ModifyIndex) }), true)
      await ctx.refuses('DELETE', path, { headers: over(updated.ModifyIndex) }, '404 not_found')
    }
  }).needing({ datacenter: 'primary' }),
  test('preconditions/concurrent [D/writes/if-match] of concurrent updates with one ModifyIndex, exactly one is made', async (ctx) => {
    const { AccessorID, ModifyIndex } = await ctx.token()
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        ctx.call('PUT', `/acl/token/${AccessorID}`, {
          body: { Description: `${i}` },
          headers: over(ModifyIndex),
        }),
      ),
    )
    const statuses = replies.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, ...Array.from({ length: 15 }, () => 412)])
  }).needing({ datacenter: 'primary' }),
  test('preconditions/header [D/writes/if-match] 400 header_invalid: anything but one quoted index, and a write that does not take the header; nothing changes, and reads ignore it', async (ctx) => {
    const token = await ctx.token()
    const { ModifyIndex } = token
    const path = `/acl/token/${token.AccessorID}`
    const refusal = '400 header_invalid If-Match'
    const bad = [
      '*',
      `W/"${ModifyIndex}"`,
      `"${ModifyIndex}", "1"`,
      `${ModifyIndex}`,
      '""',
      '"x"',
      '"-1"',
      '"1.0"',
    ]
    for (const text of [...bad, '"01"', `"${'9'.repeat(30)}"`, "'1'"]) {
      const headers = { 'If-Match': text }
      await ctx.refuses('PUT', path, { body: {}, headers }, refusal, 'Invalid header If-Match')
      await ctx.refuses('DELETE', path, { headers }, refusal)
    }
    const headers = over(ModifyIndex)
    for (const [method, other] of [
      ['PUT', '/acl/token'],
      ['PUT', `${path}/clone`],
      ['PUT', '/acl/role/'],
      ['PUT', '/acl/policy'],
      ['POST', '/acl/login'],
      ['PUT', '/session/create'],
      ['PUT', '/txn'],
    ] as const)
      await ctx.refuses(method, other, { body: {}, headers }, refusal)
    await ctx.refuses('PUT', '/kv/if-match', { raw: 'x', headers }, refusal)
    assert.deepEqual(await ctx.ok('GET', path, { headers: { 'If-Match': '*' } }), token)
  }),
]
