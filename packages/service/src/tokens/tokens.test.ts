/** The seven token endpoints as a client meets them: statuses, shapes, and what lasts. Rules are tested with the rules. */
import { type Token, tokenSchema } from '@latchkey/contract'
import { type AskOptions, aWorld, MANAGEMENT, START, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

const MISSING = '11111111-1111-4111-8111-111111111111'
const ANONYMOUS = '00000000-0000-0000-0000-000000000002'

let world: World
let token: Token
let path: string
beforeEach(async () => {
  world = await aWorld()
  token = await world.token({ Description: 'first' })
  path = `/acl/token/${token.AccessorID}`
})

const ask = (method: string, at: string, options: AskOptions = {}) =>
  world.ask(method, at, { token: MANAGEMENT, ...options })

describe('create (spec 4.2)', () => {
  test('answers the record, which is there at once, by accessor and by its secret', async () => {
    expect(tokenSchema.parse(token)).toEqual(token)
    expect((await ask('GET', path)).json).toEqual(token)
    expect((await ask('GET', '/acl/token/self', { token: token.SecretID })).json).toEqual(token)
  })

  test('CreateIndex and ModifyIndex are the index of the write; CreateTime is now', () => {
    expect(token.CreateIndex).toBe(world.store.tableIndex('tokens'))
    expect(token.ModifyIndex).toBe(token.CreateIndex)
    expect(Date.parse(token.CreateTime)).toBe(START)
  })

  test('ids of a deleted token are free again', async () => {
    await world.manage('DELETE', path)
    const { AccessorID, SecretID } = token
    expect((await ask('PUT', '/acl/token', { body: { AccessorID, SecretID } })).status).toBe(200)
  })

  test('COH-08: of 64 equal creates at once one wins', async () => {
    const body = { AccessorID: MISSING }
    const replies = await Promise.all(Array.from({ length: 64 }, () => ask('PUT', '/acl/token', { body })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ code }) => code === 'id_in_use')).toHaveLength(63)
  })
})

describe('read (spec 4.3, 4.4)', () => {
  test.each([
    [`/acl/token/${MISSING}`, 404, 'not_found'],
    ['/acl/token/nope', 400, 'id_invalid'],
    ['/acl/token/self/', 400, 'id_invalid'],
    ['/acl/token/', 400, 'id_missing'],
  ])('%s: %d %s', async (at, status, code) => {
    expect(await ask('GET', at)).toMatchObject({ status, code })
  })

  test('the text of a missing one begins as decided', async () => {
    const { text } = await ask('GET', `/acl/token/${MISSING}`)
    expect(text).toBe('Requested token does not exist: ACL not found')
  })

  test('accessors match in any case, secrets in theirs', async () => {
    expect((await ask('GET', `/acl/token/${token.AccessorID.toUpperCase()}`)).json).toEqual(token)
    const other =
      token.SecretID === token.SecretID.toUpperCase()
        ? token.SecretID.toLowerCase()
        : token.SecretID.toUpperCase()
    expect((await ask('GET', '/acl/token/self', { token: other })).code).toBe('caller_unknown')
  })

  test.each([
    ['', false],
    ['?expanded', true],
    ['?expanded=', true],
    ['?expanded=true', true],
    ['?expanded=1', true],
    ['?expanded=false', false],
    ['?Expanded', false],
  ])('%j is expanded: %s (decisions: record shapes)', async (query, expanded) => {
    const { json } = await ask('GET', `${path}${query}`)
    expect(Object.hasOwn(json as object, 'ExpandedPolicies')).toBe(expanded)
  })

  test('a rename shows at once; a deleted policy or role leaves no trace and no right', async () => {
    const policy = await world.policy({ Name: 'reader', Rules: 'acl = "read"' })
    const role = await world.role({ Name: 'ops', Policies: [{ Name: 'reader' }] })
    const linked = await world.token({ Policies: [{ Name: 'reader' }], Roles: [{ Name: 'ops' }] })
    const at = `/acl/token/${linked.AccessorID}`
    await world.manage('PUT', `/acl/policy/${policy.ID}`, { Name: 'viewer', Rules: 'acl = "read"' })
    expect((await ask('GET', at)).json).toMatchObject({ Policies: [{ ID: policy.ID, Name: 'viewer' }] })
    await world.manage('DELETE', `/acl/policy/${policy.ID}`)
    await world.manage('DELETE', `/acl/role/${role.ID}`)
    const after = (await ask('GET', at)).json
    expect(after).not.toHaveProperty('Policies')
    expect(after).not.toHaveProperty('Roles')
    expect(after).toMatchObject({ Hash: linked.Hash, ModifyIndex: linked.ModifyIndex })
    expect((await ask('GET', '/acl/tokens', { token: linked.SecretID })).status).toBe(403)
  })
})

describe('update (spec 4.5)', () => {
  test('moves ModifyIndex, also where nothing changed, and nothing else', async () => {
    const reply = await ask('PUT', path, { body: { Description: 'first' } })
    const index = world.store.tableIndex('tokens')
    expect(reply.json).toEqual({ ...token, ModifyIndex: index })
    expect(index).toBeGreaterThan(token.ModifyIndex)
  })

  test.each(['', '?expanded'])('a record that was read%s can be sent back', async (query) => {
    const read = await ask('GET', `${path}${query}`)
    const reply = await ask('PUT', path, { body: read.text })
    if (query === '') expect(reply.status).toBe(200)
    else expect(reply.code).toBe('field_unknown')
  })

  test('a list element can be sent back', async () => {
    const list = (await ask('GET', '/acl/tokens')).json as readonly Token[]
    const element = list.find(({ AccessorID }) => AccessorID === token.AccessorID)
    expect((await ask('PUT', path, { body: element })).status).toBe(200)
  })

  test.each([
    [`/acl/token/${MISSING}`, {}, 404, 'not_found'],
    ['/acl/token/nope', {}, 400, 'id_invalid'],
    ['/acl/token/', {}, 400, 'id_missing'],
    ['/acl/token/', { AccessorID: '' }, 400, 'id_missing'],
    [`/acl/token/${MISSING}`, { AccessorID: ANONYMOUS }, 400, 'accessor_mismatch'],
  ])('%s with %j: %d %s, and creates nothing', async (at, body, status, code) => {
    const before = (await ask('GET', '/acl/tokens')).text
    expect(await ask('PUT', at, { body })).toMatchObject({ status, code })
    expect((await ask('GET', '/acl/tokens')).text).toBe(before)
  })

  test('the anonymous token gets rights by it, and everybody without a token with it', async () => {
    await world.policy({ Name: 'reader', Rules: 'acl = "read"' })
    expect((await world.ask('GET', '/acl/tokens')).status).toBe(403)
    await world.manage('PUT', `/acl/token/${ANONYMOUS}`, { Policies: [{ Name: 'reader' }] })
    expect((await world.ask('GET', '/acl/tokens')).status).toBe(200)
    // They are not added to those of other tokens. Reference 3.
    expect((await ask('GET', '/acl/tokens', { token: token.SecretID })).status).toBe(403)
  })

  test('a caller may take its own rights, at once', async () => {
    const secret = await world.secretWith('acl = "write"')
    const self = (await ask('GET', '/acl/token/self', { token: secret })).json as Token
    const update = () => ask('PUT', `/acl/token/${self.AccessorID}`, { token: secret, body: {} })
    expect((await update()).status).toBe(200)
    expect((await update()).code).toBe('privilege_missing')
  })

  test('COH-09: 32 updates at once all happen, one after another', async () => {
    const before = world.store.tableIndex('tokens')
    const replies = await Promise.all(
      Array.from({ length: 32 }, (_, i) => ask('PUT', path, { body: { Description: `${i}` } })),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect(world.store.tableIndex('tokens')).toBe(before + 32)
  })
})

describe('clone (spec 4.6)', () => {
  test('answers the copy, with a secret of its own', async () => {
    const clone = (await ask('PUT', `${path}/clone`, { body: {} })).json as Token
    expect(clone).toMatchObject({ Description: 'first', CreateIndex: world.store.tableIndex('tokens') })
    expect(clone.AccessorID).not.toBe(token.AccessorID)
    expect((await ask('GET', '/acl/token/self', { token: clone.SecretID })).json).toEqual(clone)
  })

  test.each([
    [`/acl/token/${MISSING}/clone`, '{}', 404, 'not_found'],
    ['/acl/token/nope/clone', '{}', 400, 'id_invalid'],
    [`/acl/token/${ANONYMOUS}/clone`, '', 400, 'body_required'],
    [`/acl/token/${ANONYMOUS}/clone`, '{"Foo":1}', 400, 'field_unknown'],
    [`/acl/token/${ANONYMOUS}/clone`, 'null', 200, undefined],
  ])('PUT %s with %s: %d', async (at, body, status, code) => {
    expect(await ask('PUT', at, { body })).toMatchObject({ status, code })
  })
})

describe('delete (spec 4.7)', () => {
  test('true; the secret stops working at once; a second time there is nothing to delete', async () => {
    expect(await ask('DELETE', path)).toMatchObject({ status: 200, text: 'true' })
    expect((await ask('GET', '/acl/token/self', { token: token.SecretID })).code).toBe('caller_unknown')
    expect(await ask('DELETE', path)).toMatchObject({ status: 404, code: 'not_found' })
  })

  test.each([
    ['/acl/token/nope', 400, 'id_invalid'],
    ['/acl/token/', 400, 'id_missing'],
    [`/acl/token/${ANONYMOUS}`, 400, 'delete_refused'],
    ['/acl/token', 405, 'method_not_allowed'],
  ])('%s: %d %s', async (at, status, code) => {
    expect(await ask('DELETE', at)).toMatchObject({ status, code })
  })

  test('accessors match in any case; a body is not looked at', async () => {
    const reply = await ask('DELETE', path.toUpperCase().replace('/ACL/TOKEN/', '/acl/token/'), { body: '{' })
    expect(reply.text).toBe('true')
  })

  test('delete_refused: the token that the request presents', async () => {
    const self = (await ask('GET', '/acl/token/self')).json as Token
    expect((await ask('DELETE', `/acl/token/${self.AccessorID}`)).code).toBe('delete_refused')
  })
})

describe('the way of a request (decisions: order of checks)', () => {
  test('method, query options, caller, right, then body: the first that is wrong is told', async () => {
    const body = 'not JSON'
    const powerless = token.SecretID
    expect((await world.ask('POST', '/acl/token', { token: 'nobody', body })).code).toBe('method_not_allowed')
    expect((await world.ask('PUT', '/acl/token?ns=a', { token: 'nobody', body })).code).toBe(
      'namespace_unsupported',
    )
    expect((await world.ask('PUT', '/acl/token?%', { token: 'nobody', body })).code).toBe('query_invalid')
    expect((await world.ask('PUT', '/acl/token', { token: 'nobody', body })).code).toBe('caller_unknown')
    expect((await world.ask('PUT', '/acl/token', { token: powerless, body })).code).toBe('privilege_missing')
    expect((await world.ask('PUT', '/acl/token', { body })).code).toBe('privilege_missing')
    expect((await ask('PUT', '/acl/token', { body })).code).toBe('body_malformed')
    expect((await ask('PUT', '/acl/token/nope', { body })).code).toBe('id_invalid')
  })

  test('413 body_too_large: 1 MiB passes, one byte more does not', async () => {
    const body = (bytes: number) => `{"Description":"${'x'.repeat(bytes - 18)}"}`
    expect(body(1_048_576)).toHaveLength(1_048_576)
    expect((await ask('PUT', '/acl/token', { body: body(1_048_576) })).code).toBe('field_too_long')
    expect(await ask('PUT', '/acl/token', { body: body(1_048_577) })).toMatchObject({ status: 413 })
  })

  test('401 acl_disabled: every ACL endpoint, before anything is looked at', async () => {
    const off = await aWorld({ aclEnabled: false })
    for (const [method, at] of [
      ['PUT', '/acl/token'],
      ['GET', '/acl/token/self'],
      ['GET', '/acl/tokens?%'],
      ['GET', '/acl/policies'],
      ['PUT', '/acl/bootstrap'],
      ['POST', '/internal/acl/authorize'],
    ] as const) {
      expect(await off.ask(method, at, { token: 'nobody', body: '{' })).toMatchObject({
        status: 401,
        text: 'ACL support disabled',
      })
    }
    expect((await off.ask('PUT', '/kv/a', { body: 'x' })).text).toBe('true')
  })

  test('a default policy of allow gives everything but acl (reference 3)', async () => {
    const open = await aWorld({ defaultPolicy: 'allow' })
    expect((await open.ask('PUT', '/kv/a', { body: 'x' })).status).toBe(200)
    const list = await open.ask('GET', '/acl/tokens')
    expect(list.code).toBe('privilege_missing')
    expect(list.headers['X-Service-Default-ACL-Policy']).toBe('allow')
    expect((await open.ask('GET', '/kv/a', { token: 'nobody' })).code).toBe('caller_unknown')
  })
})
