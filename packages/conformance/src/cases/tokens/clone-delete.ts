/** Cloning and deleting tokens. Spec 4.6, 4.7. */
import assert from 'node:assert/strict'
import type { Token } from '@latchkey/contract'
import type { Case } from '../../case.ts'

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'

export const cloneDeleteCases: readonly Case[] = [
  {
    id: 'clone/record',
    spec: '4.6',
    also: ['D/tokens/clone'],
    title:
      'a clone has the links, Local, ExpirationTime and Description of its source, and its own ids, CreateTime and indexes',
    async run(ctx) {
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
        'Description',
        'Policies',
        'Roles',
        'ServiceIdentities',
        'NodeIdentities',
        'Local',
        'ExpirationTime',
        'Hash',
      ] as const) {
        assert.deepEqual(clone[field], token[field], field)
      }
      assert(Date.parse(clone.CreateTime) >= Date.parse(token.CreateTime))
      await ctx.ok('GET', '/acl/token/self', { token: clone.SecretID })
    },
  },
  {
    id: 'clone/description',
    spec: '4.6/Description',
    title: 'a clone takes its description from the body, or from its source if the body has none',
    async run(ctx) {
      const token = await ctx.token({ Description: 'source' })
      const clone = (body: object) => ctx.ok<Token>('PUT', `/acl/token/${token.AccessorID}/clone`, { body })
      assert.equal((await clone({ Description: 'mine' })).Description, 'mine')
      assert.equal((await clone({ Description: '' })).Description, 'source')
    },
  },
  {
    id: 'clone/fields',
    spec: '7/unknown-field',
    also: ['4.6', 'D/tokens/clone'],
    title: '400 field_unknown: a clone sets anything but a description, such as another lifetime',
    async run(ctx) {
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
        const refusal = {
          status: 400,
          code: 'field_unknown',
          field,
          text: `unknown field "${field}"`,
        } as const
        await ctx.refuses('PUT', path, { body: { Description: 'd', [field]: value } }, refusal)
        await ctx.refuses('PUT', path, { body: { [field]: null } }, refusal)
      }
    },
  },
  {
    id: 'clone/refused',
    spec: 'D/tokens/clone-refused',
    also: ['D/status/target-404'],
    title:
      '404 not_found, 400 id_invalid, 400 body_required: a source that does not exist, an id that is not a UUID, no body',
    async run(ctx) {
      const missing = { status: 404, code: 'not_found' } as const
      await ctx.refuses('PUT', `/acl/token/${crypto.randomUUID()}/clone`, { body: {} }, missing)
      await ctx.refuses('PUT', '/acl/token/x/clone', { body: {} }, { status: 400, code: 'id_invalid' })
      const { AccessorID } = await ctx.token()
      await ctx.refuses('PUT', `/acl/token/${AccessorID}/clone`, {}, { status: 400, code: 'body_required' })
    },
  },
  {
    id: 'clone/dangling',
    spec: 'D/tokens/clone',
    title: 'links to deleted policies and roles are not cloned',
    async run(ctx) {
      const [kept, gone] = [await ctx.policy(), await ctx.policy()]
      const token = await ctx.token({ Policies: [{ ID: gone.ID }, { ID: kept.ID }] })
      await ctx.ok('DELETE', `/acl/policy/${gone.ID}`)
      const clone = await ctx.ok<Token>('PUT', `/acl/token/${token.AccessorID}/clone`, { body: {} })
      assert.deepEqual(clone.Policies, [{ ID: kept.ID, Name: kept.Name }])
    },
  },
  {
    id: 'clone/right',
    spec: '4.1/Clone',
    also: ['5.2'],
    title: '403 privilege_missing: a caller with acl:read clones a token',
    async run(ctx) {
      const reader = await ctx.caller('acl = "read"')
      const path = `/acl/token/${reader.AccessorID}/clone`
      const refusal = { status: 403, code: 'privilege_missing', text: /acl:write/ } as const
      await ctx.refuses('PUT', path, { body: {}, token: reader.SecretID }, refusal)
    },
  },
  {
    id: 'clone/anonymous',
    spec: 'D/tokens/clone',
    title: 'a clone of the anonymous token is an ordinary token',
    async run(ctx) {
      const clone = await ctx.ok<Token>('PUT', `/acl/token/${ANONYMOUS}/clone`, {
        body: { Description: 'clone' },
      })
      assert.notEqual(clone.AccessorID, ANONYMOUS)
      await ctx.ok('GET', '/acl/token/self', { token: clone.SecretID })
      const plain = await ctx.ok<Token>('PUT', `/acl/token/${ANONYMOUS}/clone`, { raw: 'null' })
      assert.notEqual(plain.AccessorID, ANONYMOUS)
      await ctx.ok('DELETE', `/acl/token/${plain.AccessorID}`)
    },
  },
  {
    id: 'delete/record',
    spec: '4.7',
    also: ['4'],
    title: 'a delete answers the bare value true as JSON; the token is gone for reads, lists and callers',
    async run(ctx) {
      const token = await ctx.caller('acl = "read"')
      const reply = await ctx.call('DELETE', `/acl/token/${token.AccessorID.toUpperCase()}`)
      assert.deepEqual(
        [reply.status, reply.text, reply.headers.get('content-type')],
        [200, 'true', 'application/json'],
      )
      await ctx.refuses('GET', `/acl/token/${token.AccessorID}`, {}, { status: 404, code: 'not_found' })
      await ctx.refuses(
        'GET',
        '/acl/tokens',
        { token: token.SecretID },
        { status: 403, code: 'caller_unknown' },
      )
      const list = await ctx.ok<Token[]>('GET', '/acl/tokens')
      assert(!list.some(({ AccessorID }) => AccessorID === token.AccessorID))
    },
  },
  {
    id: 'delete/missing',
    spec: 'D/status/delete-404',
    also: ['4.7'],
    title: '404 not_found: deleting a token that never existed or was deleted',
    async run(ctx) {
      const token = await ctx.token()
      await ctx.ok('DELETE', `/acl/token/${token.AccessorID}`)
      for (const id of [token.AccessorID, crypto.randomUUID()]) {
        await ctx.refuses('DELETE', `/acl/token/${id}`, {}, { status: 404, code: 'not_found' })
      }
      await ctx.refuses('DELETE', '/acl/token/x', {}, { status: 400, code: 'id_invalid' })
      await ctx.refuses('DELETE', '/acl/token/', {}, { status: 400, code: 'id_missing' })
    },
  },
  {
    id: 'delete/right',
    spec: '4.1/Delete',
    also: ['5.2', 'D/status/delete-404'],
    title: '403 privilege_missing: a caller with acl:read deletes a token, whether it exists or not',
    async run(ctx) {
      const reader = await ctx.caller('acl = "read"')
      const other = await ctx.token()
      for (const id of [other.AccessorID, crypto.randomUUID()]) {
        const refusal = { status: 403, code: 'privilege_missing', text: /acl:write/ } as const
        await ctx.refuses('DELETE', `/acl/token/${id}`, { token: reader.SecretID }, refusal)
      }
      await ctx.ok('GET', `/acl/token/${other.AccessorID}`)
    },
  },
  {
    id: 'delete/own',
    spec: 'D/tokens/delete-own',
    title: '400 delete_refused: a caller deletes the token it presents',
    async run(ctx) {
      const writer = await ctx.caller('acl = "write"')
      const refusal = { status: 400, code: 'delete_refused' } as const
      await ctx.refuses('DELETE', `/acl/token/${writer.AccessorID}`, { token: writer.SecretID }, refusal)
    },
  },
  {
    id: 'delete/anonymous',
    spec: 'D/tokens/anonymous',
    title: '400 delete_refused: the anonymous token is deleted; it can be updated, but keeps its ids',
    needs: { datacenter: 'primary' },
    async run(ctx) {
      await ctx.refuses('DELETE', `/acl/token/${ANONYMOUS}`, {}, { status: 400, code: 'delete_refused' })
      const before = await ctx.ok<Token>('GET', `/acl/token/${ANONYMOUS}`)
      const updated = await ctx.ok<Token>('PUT', `/acl/token/${ANONYMOUS}`, { body: before })
      assert.equal(updated.SecretID, 'anonymous')
      assert.equal(updated.Hash, before.Hash)
      assert(updated.ModifyIndex > before.ModifyIndex)
    },
  },
]
