/** Cloning and deleting tokens. Spec 4.6, 4.7. */
import assert from 'node:assert/strict'
import type { Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'

export const cloneDeleteCases: readonly Case[] = [
  test('clone/record [4.6, D/tokens/clone] a clone has the links, Local, ExpirationTime and Description of its source, and its own ids, CreateTime and indexes', async (ctx) => {
    const policy = await ctx.policy('key "a" { policy = "read" }')
    const role = await ctx.role()
    const token = await ctx.token({
      Description: 'source',
      Policies: [{ ID: policy.ID }],
      Roles: [{ ID: role.ID }],
      ServiceIdentities: [{ ServiceName: 'web' }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
      Local: true,
      ExpirationTTL: '2h',
    })
    const clone = await ctx.ok<Token>('PUT', `/acl/token/${token.AccessorID}/clone`, { body: {} })
    for (const field of ['AccessorID', 'SecretID', 'CreateIndex', 'ModifyIndex'] as const) {
      assert.notEqual(clone[field], token[field], field)
    }
    for (const field of [
      ...['Description', 'Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities', 'Local'],
      ...['ExpirationTime', 'Hash'],
    ] as const) {
      assert.deepEqual(clone[field], token[field], field)
    }
    assert(Date.parse(clone.CreateTime) >= Date.parse(token.CreateTime))
    await ctx.ok('GET', '/acl/token/self', { token: clone.SecretID })
  }),
  test('clone/description [4.6/Description] a clone takes its description from the body, or from its source if the body has none', async (ctx) => {
    const token = await ctx.token({ Description: 'source' })
    const clone = (body: object) => ctx.ok<Token>('PUT', `/acl/token/${token.AccessorID}/clone`, { body })
    assert.equal((await clone({ Description: 'mine' })).Description, 'mine')
    assert.equal((await clone({ Description: '' })).Description, 'source')
  }),
  test('clone/fields [7/unknown-field, 4.6, D/tokens/clone] 400 field_unknown: a clone sets anything but a description, such as another lifetime', async (ctx) => {
    const token = await ctx.token({ ExpirationTTL: '2h' })
    const path = `/acl/token/${token.AccessorID}/clone`
    const fields = {
      ExpirationTTL: '1h',
      ExpirationTime: token.ExpirationTime,
      AccessorID: token.AccessorID,
      SecretID: token.SecretID,
      Policies: [],
      Roles: [],
      ServiceIdentities: [],
      NodeIdentities: [],
      Rules: '',
      Local: false,
      AuthMethod: '',
      CreateTime: token.CreateTime,
      Hash: token.Hash,
      CreateIndex: token.CreateIndex,
      ModifyIndex: token.ModifyIndex,
    }
    for (const [field, value] of Object.entries(fields)) {
      const refusal = [`400 field_unknown ${field}`, `unknown field "${field}"`] as const
      await ctx.refuses('PUT', path, { body: { Description: 'd', [field]: value } }, ...refusal)
      await ctx.refuses('PUT', path, { body: { [field]: null } }, ...refusal)
    }
  }),
  test('clone/refused [D/tokens/clone-refused, D/status/target-404] 404 not_found, 400 id_invalid, 400 body_required: a source that does not exist, an id that is not a UUID, no body', async (ctx) => {
    await ctx.refuses('PUT', `/acl/token/${crypto.randomUUID()}/clone`, { body: {} }, '404 not_found')
    await ctx.refuses('PUT', '/acl/token/x/clone', { body: {} }, '400 id_invalid')
    const { AccessorID } = await ctx.token()
    await ctx.refuses('PUT', `/acl/token/${AccessorID}/clone`, {}, '400 body_required')
  }),
  test('clone/dangling [D/tokens/clone] links to deleted policies and roles are not cloned', async (ctx) => {
    const [kept, gone] = [await ctx.policy(), await ctx.policy()]
    const token = await ctx.token({ Policies: [{ ID: gone.ID }, { ID: kept.ID }] })
    await ctx.ok('DELETE', `/acl/policy/${gone.ID}`)
    const clone = await ctx.ok<Token>('PUT', `/acl/token/${token.AccessorID}/clone`, { body: {} })
    assert.deepEqual(clone.Policies, [{ ID: kept.ID, Name: kept.Name }])
  }),
  test('clone/right [4.1/Clone, 5.2] 403 privilege_missing: a caller with acl:read clones a token', async (ctx) => {
    const reader = await ctx.caller('acl = "read"')
    const path = `/acl/token/${reader.AccessorID}/clone`
    const refusal = ['403 privilege_missing', /acl:write/] as const
    await ctx.refuses('PUT', path, { body: {}, token: reader.SecretID }, ...refusal)
  }),
  test('clone/anonymous [D/tokens/clone] a clone of the anonymous token is an ordinary token', async (ctx) => {
    const clone = await ctx.ok<Token>('PUT', `/acl/token/${ANONYMOUS}/clone`, {
      body: { Description: 'clone' },
    })
    assert.notEqual(clone.AccessorID, ANONYMOUS)
    await ctx.ok('GET', '/acl/token/self', { token: clone.SecretID })
    const plain = await ctx.ok<Token>('PUT', `/acl/token/${ANONYMOUS}/clone`, { raw: 'null' })
    assert.notEqual(plain.AccessorID, ANONYMOUS)
    await ctx.ok('DELETE', `/acl/token/${plain.AccessorID}`)
  }),
  test('delete/record [4.7, 4] a delete answers the bare value true as JSON; the token is gone for reads, lists and callers', async (ctx) => {
    const token = await ctx.caller('acl = "read"')
    const reply = await ctx.call('DELETE', `/acl/token/${token.AccessorID.toUpperCase()}`)
    assert.deepEqual(
      [reply.status, reply.text, reply.headers.get('content-type')],
      [200, 'true', 'application/json'],
    )
    await ctx.refuses('GET', `/acl/token/${token.AccessorID}`, {}, '404 not_found')
    await ctx.refuses('GET', '/acl/tokens', { token: token.SecretID }, '403 caller_unknown')
    const list = await ctx.ok<Token[]>('GET', '/acl/tokens')
    assert(!list.some(({ AccessorID }) => AccessorID === token.AccessorID))
  }),
  test('delete/missing [D/status/delete-404, 4.7] 404 not_found: deleting a token that never existed or was deleted', async (ctx) => {
    const token = await ctx.token()
    await ctx.ok('DELETE', `/acl/token/${token.AccessorID}`)
    for (const id of [token.AccessorID, crypto.randomUUID()]) {
      await ctx.refuses('DELETE', `/acl/token/${id}`, {}, '404 not_found', 'Cannot find token to delete')
    }
    await ctx.refuses('DELETE', '/acl/token/x', {}, '400 id_invalid')
    await ctx.refuses('DELETE', '/acl/token/', {}, '400 id_missing')
  }),
  test('delete/right [4.1/Delete, 5.2, D/status/delete-404] 403 privilege_missing: a caller with acl:read deletes a token, whether it exists or not', async (ctx) => {
    const reader = await ctx.caller('acl = "read"')
    const other = await ctx.token()
    for (const id of [other.AccessorID, crypto.randomUUID()]) {
      const refusal = ['403 privilege_missing', /acl:write/] as const
      await ctx.refuses('DELETE', `/acl/token/${id}`, { token: reader.SecretID }, ...refusal)
    }
    await ctx.ok('GET', `/acl/token/${other.AccessorID}`)
  }),
  test('delete/own [D/tokens/delete-own] 400 delete_refused: a caller deletes the token it presents', async (ctx) => {
    const writer = await ctx.caller('acl = "write"')
    await ctx.refuses(
      'DELETE',
      `/acl/token/${writer.AccessorID}`,
      { token: writer.SecretID },
      '400 delete_refused',
    )
  }),
  test('delete/anonymous [D/tokens/anonymous] 400 delete_refused: the anonymous token is deleted; it can be updated, but keeps its ids', async (ctx) => {
    await ctx.refuses('DELETE', `/acl/token/${ANONYMOUS}`, {}, '400 delete_refused')
    const before = await ctx.ok<Token>('GET', `/acl/token/${ANONYMOUS}`)
    const updated = await ctx.ok<Token>('PUT', `/acl/token/${ANONYMOUS}`, { body: before })
    assert.equal(updated.SecretID, 'anonymous')
    assert.equal(updated.Hash, before.Hash)
    assert(updated.ModifyIndex > before.ModifyIndex)
  }).needing({ datacenter: 'primary' }),
]
