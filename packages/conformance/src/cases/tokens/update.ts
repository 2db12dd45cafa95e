/** Updating tokens. Spec 4.5. */
import assert from 'node:assert/strict'
import type { Token } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import type { Context } from '../../context.ts'

function update(ctx: Context, token: Token, body: object): Promise<Token> {
  return ctx.ok<Token>('PUT', `/acl/token/${token.AccessorID}`, { body })
}

const IMMUTABLE = '400 field_immutable'

export const updateCases: readonly Case[] = [
  test('update/record [4.5, D/records/indexes] an update answers the changed record; ids, times and CreateIndex are unchanged; ModifyIndex increases, even without a change', async (ctx) => {
    const token = await ctx.token({ ExpirationTTL: '1h' })
    const updated = await update(ctx, token, { Description: 'new' })
    const { Description, Hash, ModifyIndex, ...rest } = updated
    assert.equal(Description, 'new')
    assert.notEqual(Hash, token.Hash)
    assert(ModifyIndex > token.ModifyIndex)
    for (const [key, value] of Object.entries(rest)) assert.deepEqual(value, Reflect.get(token, key), key)
    assert.deepEqual(await ctx.ok('GET', `/acl/token/${token.AccessorID}`), updated)
    const again = await update(ctx, token, { Description: 'new' })
    assert(again.ModifyIndex > ModifyIndex)
    assert.equal(again.Hash, Hash)
  }).needing({ datacenter: 'primary' }),
  test('update/sent-back [4.5, D/decoding/ignored] a record from a read or a list can be sent back unchanged', async (ctx) => {
    const policy = await ctx.policy()
    const token = await ctx.token({
      Description: 'x',
      Policies: [{ ID: policy.ID }],
      ServiceIdentities: [{ ServiceName: 'web' }],
    })
    const { ModifyIndex, ...same } = await update(ctx, token, token)
    assert.deepEqual({ ...same, ModifyIndex: token.ModifyIndex }, token)
    assert(ModifyIndex > token.ModifyIndex)
    const list = await ctx.ok<Token[]>('GET', `/acl/tokens?policy=${policy.ID}`)
    await update(ctx, token, list[0] ?? {})
  }).needing({ datacenter: 'primary' }),
  test('update/replaces [D/tokens/replace] an update replaces Description and the four lists of links: what is omitted is cleared', async (ctx) => {
    const policy = await ctx.policy()
    const role = await ctx.role()
    const token = await ctx.token({
      Description: 'x',
      Policies: [{ ID: policy.ID }],
      Roles: [{ ID: role.ID }],
      ServiceIdentities: [{ ServiceName: 'web' }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    })
    const cleared = await update(ctx, token, {})
    assert.equal(cleared.Description, '')
    for (const list of ['Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'])
      assert(!(list in cleared), list)
    const filled = await update(ctx, token, { Roles: [{ Name: role.Name }] })
    assert.deepEqual(filled.Roles, [{ ID: role.ID, Name: role.Name }])
  }),
  test('update/rights-at-once [4.5, 4.1/Update] changed links take effect on the next request; a caller may remove its own rights', async (ctx) => {
    const writer = await ctx.caller('acl = "write"')
    await ctx.ok('PUT', `/acl/token/${writer.AccessorID}`, { body: {}, token: writer.SecretID })
    await ctx.refuses(
      'PUT',
      `/acl/token/${writer.AccessorID}`,
      { body: {}, token: writer.SecretID },
      '403 privilege_missing',
    )
  }),
  test('update/accessor-in-body [4.5.1] the accessor of the path may also be in the body, and is filled in if absent', async (ctx) => {
    const token = await ctx.token()
    for (const body of [{ AccessorID: token.AccessorID }, {}, { AccessorID: '' }, { AccessorID: null }]) {
      assert.equal((await update(ctx, token, body)).AccessorID, token.AccessorID)
    }
  }),
  test('update/accessor-mismatch [7/accessor-mismatch, 4.5.1] 400 accessor_mismatch: path and body name different accessors, even if only by case', async (ctx) => {
    const token = await ctx.token({
      AccessorID: 'abcdef00-0000-4000-8000-'.concat(crypto.randomUUID().slice(-12)),
    })
    const other = await ctx.token()
    for (const AccessorID of [other.AccessorID, crypto.randomUUID(), token.AccessorID.toUpperCase()]) {
      await ctx.refuses(
        'PUT',
        `/acl/token/${token.AccessorID}`,
        { body: { AccessorID } },
        '400 accessor_mismatch AccessorID',
      )
    }
  }),
  test('update/accessor-immutable [4.5.2] 400 field_immutable: a path differs from the stored accessor in case, which would change the accessor', async (ctx) => {
    const token = await ctx.token({
      AccessorID: 'abcdef00-0000-4000-8000-'.concat(crypto.randomUUID().slice(-12)),
    })
    const path = `/acl/token/${token.AccessorID.toUpperCase()}`
    await ctx.refuses('PUT', path, { body: {} }, `${IMMUTABLE} AccessorID`)
  }),
  test('update/secret-filled-in [4.5.3] the same SecretID is accepted, an absent one is filled in', async (ctx) => {
    const token = await ctx.token()
    for (const body of [{ SecretID: token.SecretID }, {}, { SecretID: '' }, { SecretID: null }]) {
      assert.equal((await update(ctx, token, body)).SecretID, token.SecretID)
    }
  }),
  test('update/secret-immutable [7/immutable, 4.5.3, D/records/hidden] 400 field_immutable: a different SecretID, or the redaction text; the error repeats neither (SEC-01)', async (ctx) => {
    const token = await ctx.token()
    for (const SecretID of [crypto.randomUUID(), '<hidden>', token.SecretID.toUpperCase(), 'anonymous']) {
      if (SecretID === token.SecretID) continue
      const hint = SecretID === '<hidden>' ? '.*leave SecretID out$' : ''
      const text = new RegExp(`^Changing a token's SecretID is not permitted${hint}`)
      const path = `/acl/token/${token.AccessorID}`
      await ctx.refuses('PUT', path, { body: { SecretID } }, `${IMMUTABLE} SecretID`, text)
    }
    const reply = await ctx.call('PUT', `/acl/token/${token.AccessorID}`, {
      body: { SecretID: crypto.randomUUID() },
    })
    assert(!reply.text.includes(token.SecretID), 'the refusal holds the secret')
    await ctx.ok('GET', '/acl/token/self', { token: token.SecretID })
  }),
  test('update/local [4.5.4, 7/local, D/tokens/local, 2.1/Local] 400 local_mismatch: Local differs; for a local token it may not be omitted, and the error says so', async (ctx) => {
    const local = await ctx.token({ Local: true })
    const global = await ctx.token()
    const refusal = '400 local_mismatch Local'
    await ctx.refuses('PUT', `/acl/token/${global.AccessorID}`, { body: { Local: true } }, refusal)
    await ctx.refuses('PUT', `/acl/token/${local.AccessorID}`, { body: { Local: false } }, refusal)
    await ctx.refuses('PUT', `/acl/token/${local.AccessorID}`, { body: {} }, refusal, /send "Local": true$/)
    assert.equal((await update(ctx, local, { Local: true })).Local, true)
    assert.equal((await update(ctx, global, { Local: false })).Local, false)
  }),
  test('update/auth-method [4.5.5, 7/immutable, 2.1/AuthMethod] 400 field_immutable: a different AuthMethod; an empty or absent one is filled in', async (ctx) => {
    const token = await ctx.token()
    const body = { AuthMethod: 'minikube' }
    await ctx.refuses('PUT', `/acl/token/${token.AccessorID}`, { body }, `${IMMUTABLE} AuthMethod`)
    for (const same of [{ AuthMethod: '' }, {}]) assert(!('AuthMethod' in (await update(ctx, token, same))))
  }),
  test('update/expiration [4.5.6, 7/immutable, D/tokens/expiration, D/records/times] 400 field_immutable: a different ExpirationTime or any lifetime; the same instant in any zone passes, an absent one is filled in', async (ctx) => {
    const token = await ctx.token({ ExpirationTTL: '1h' })
    const at = Date.parse(token.ExpirationTime ?? '')
    const inZone = new Date(at + 7_200_000).toISOString().replace('Z', '+02:00')
    for (const body of [
      { ExpirationTime: token.ExpirationTime },
      { ExpirationTime: inZone },
      {},
      { ExpirationTime: null },
      { ExpirationTTL: '0s' },
    ]) {
      assert.equal((await update(ctx, token, body)).ExpirationTime, token.ExpirationTime)
    }
    const refuse = (to: Token, field: string, value: string) =>
      ctx.refuses('PUT', `/acl/token/${to.AccessorID}`, { body: { [field]: value } }, `${IMMUTABLE} ${field}`)
    await refuse(token, 'ExpirationTime', new Date(at + 1).toISOString())
    await refuse(token, 'ExpirationTTL', '1h')
    const lasting = await ctx.token()
    await refuse(lasting, 'ExpirationTime', new Date(at).toISOString())
    await refuse(lasting, 'ExpirationTTL', '1h')
  }),
  test('update/right [4.1/Update, 5.2] 403 privilege_missing: a caller with acl:read updates a token, even its own', async (ctx) => {
    const reader = await ctx.caller('acl = "read"')
    const other = await ctx.token()
    for (const { AccessorID } of [other, reader]) {
      const refusal = ['403 privilege_missing', /acl:write/] as const
      await ctx.refuses('PUT', `/acl/token/${AccessorID}`, { body: {}, token: reader.SecretID }, ...refusal)
    }
  }),
  test('update/missing [D/status/target-404] 404 not_found: an update of a token that does not exist creates nothing; 400 without a UUID', async (ctx) => {
    await ctx.refuses('PUT', '/acl/token/x', { body: {} }, '400 id_invalid')
    for (const body of [{}, { AccessorID: '' }])
      await ctx.refuses('PUT', '/acl/token/', { body }, '400 id_missing')
    const id = crypto.randomUUID()
    await ctx.refuses('PUT', `/acl/token/${id}`, { body: {} }, '404 not_found')
    await ctx.refuses('GET', `/acl/token/${id}`, {}, '404 not_found')
  }),
  test('update/links-checked [4.5, D/status/rule-400] 400: an update validates links, identities and rules as a create does; a refused one changes nothing', async (ctx) => {
    const token = await ctx.token({ Description: 'kept' })
    const refuse = (body: object, code: 'link_unknown' | 'name_invalid' | 'field_invalid') =>
      ctx.refuses('PUT', `/acl/token/${token.AccessorID}`, { body }, `400 ${code}`)
    await refuse({ Policies: [{ Name: 'none' }] }, 'link_unknown')
    await refuse({ ServiceIdentities: [{ ServiceName: 'Web' }] }, 'name_invalid')
    await refuse({ Rules: 'acl = "read"' }, 'field_invalid')
    assert.deepEqual(await ctx.ok('GET', `/acl/token/${token.AccessorID}`), token)
  }),
]
