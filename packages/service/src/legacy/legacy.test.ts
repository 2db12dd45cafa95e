/** The legacy ACL API, endpoint by endpoint. Version differences are tested in `versions/`. */

import { convertForMigration } from '@latchkey/acl'
import { putOf } from '@latchkey/testkit/records/changes'
import { anId, aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, START, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

const token = MANAGEMENT
const VERSION = '1.10'
const RULES = 'key "app" { policy = "write" }'

let world: World
beforeEach(async () => {
  world = await aWorld({ version: VERSION })
})

/** Gives a legacy token its accessor, as the migration does. */
async function migrate(secretId: string, { store } = world): Promise<void> {
  const stored = await store.tokenBySecret(secretId)
  if (!stored) throw new Error(`there is no ${secretId}`)
  const record = convertForMigration(stored, anId(0x7000))
  store.commitNow([putOf('tokens', record, stored.ModifyIndex)])
}

const info = async (id: string) => (await world.ask('GET', `/acl/info/${id}`)).json

describe('create', () => {
  test("answers only the ID; the record has its keys in the reference's order", async () => {
    const body = { ID: 'my secret/?', Name: 'n', Type: 'client', Rules: RULES }
    expect(await world.manage('PUT', '/acl/create', body)).toEqual({ ID: 'my secret/?' })
    const list = await world.ask('GET', `/acl/info/${encodeURIComponent('my secret/?')}`)
    const index = Number(list.headers['X-Service-Index'])
    const shown = [{ ...body, CreateIndex: index, ModifyIndex: index }]
    expect(list.text).toBe(JSON.stringify(shown))
  })

  test.each([undefined, '', '{}', 'null', { ID: '' }, { ID: null, Type: null }])(
    'the body and its ID are optional: %j',
    async (body) => {
      const { ID } = (await world.manage('PUT', '/acl/create', body)) as { ID: string }
      expect(ID).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      expect(await info(ID)).toMatchObject([{ Name: '', Type: 'client', Rules: '' }])
    },
  )

  test('an ID that exists is overwritten', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a', Name: 'first', Rules: RULES })
    await world.manage('PUT', '/acl/create', { ID: 'a', Type: 'management' })
    expect(await info('a')).toMatchObject([{ Name: '', Type: 'management', Rules: '' }])
  })

  test.each([
    ['rules that do not compile', { Rules: 'key "a" { policy = "bogus" }' }, 400, 'rules_invalid'],
    ['a root name as ID', { ID: 'manage' }, 403, 'root_name_refused'],
    ['the redaction text as ID', { ID: '<hidden>' }, 400, 'id_reserved'],
    [
      'the accessor of the anonymous token as ID',
      { ID: '00000000-0000-0000-0000-000000000002' },
      400,
      'id_reserved',
    ],
    ['the accessor of another token as ID', { ID: anId(1) }, 409, 'id_in_use'],
    ['the secret of another token in another case as ID', { ID: anId(0xa).toUpperCase() }, 409, 'id_in_use'],
    ['the secret of a new token as ID', { ID: anId(2) }, 400, 'legacy_token_immutable'],
    ['an ID that is too long', { ID: 'a'.repeat(513) }, 400, 'field_too_long'],
    ['a list as body', [], 400, 'field_type'],
  ])('refuses %s', async (_, body, status, code) => {
    await world.token({ AccessorID: anId(1), SecretID: anId(2) })
    await world.token({ SecretID: anId(0xa) })
    const reply = await world.ask('PUT', '/acl/create', { token, body })
    expect([reply.status, reply.code]).toEqual([status, code])
    expect(reply.text).not.toContain(anId(2))
  })
})

describe('update', () => {
  test('an unknown ID creates; a known one keeps its accessor', async () => {
    expect(await world.manage('PUT', '/acl/update', { ID: 'a', Rules: RULES })).toEqual({ ID: 'a' })
    await migrate('a')
    await world.manage('PUT', '/acl/update', { ID: 'a', Name: 'again', Rules: RULES })
    const self = await world.ask('GET', '/acl/token/self', { token: 'a' })
    expect(self.json).toMatchObject({ AccessorID: anId(0x7000), Description: 'again', Rules: RULES })
  })

  test.each([undefined, {}, { ID: '' }, { Name: 'a' }])('400 id_missing without an ID: %j', async (body) => {
    const reply = await world.ask('PUT', '/acl/update', { token, body })
    expect([reply.status, reply.code, reply.text]).toEqual([400, 'id_missing', 'ACL ID must be set'])
  })

  test('a migrated management token cannot be updated, but destroyed', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a', Type: 'management' })
    await migrate('a')
    const update = await world.ask('PUT', '/acl/update', { token, body: { ID: 'a', Type: 'management' } })
    expect(update.text).toBe('Cannot use legacy endpoint to modify a non-legacy token')
    expect(await world.manage('PUT', '/acl/destroy/a')).toBe(true)
    expect((await world.ask('GET', '/acl/token/self', { token: 'a' })).status).toBe(403)
  })
})

describe('destroy', () => {
  test('true: for a legacy token, an unknown one, and a token of the new API', async () => {
    const { SecretID } = await world.token()
    await world.manage('PUT', '/acl/create', { ID: 'a' })
    for (const id of ['a', 'a', 'unknown', SecretID]) {
      expect(await world.manage('PUT', `/acl/destroy/${id}`)).toBe(true)
      expect((await world.ask('GET', '/acl/token/self', { token: id })).code).toBe('caller_unknown')
    }
  })

  test('403: the anonymous token', async () => {
    const reply = await world.ask('PUT', '/acl/destroy/anonymous', { token })
    expect([reply.status, reply.text]).toEqual([403, 'Permission denied: Cannot delete anonymous token'])
  })
})

describe('info', () => {
  test('needs no token: a caller that knows the secret may see the rules', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a', Rules: RULES })
    expect(await info('a')).toMatchObject([{ ID: 'a', Rules: RULES }])
    expect((await world.ask('GET', '/acl/info/a', { token: 'unknown' })).status).toBe(200)
  })

  test('an empty list: for an unknown secret, a secret of the new API, and an accessor', async () => {
    const { SecretID, AccessorID } = await world.token()
    for (const id of ['unknown', SecretID, AccessorID]) expect(await info(id)).toEqual([])
  })

  test('the initial management token is shown until its first update', async () => {
    expect(await info(MANAGEMENT)).toMatchObject([{ ID: MANAGEMENT, Type: 'management' }])
    const { AccessorID, Policies } = (await world.manage('GET', '/acl/token/self')) as {
      AccessorID: string
      Policies: unknown
    }
    await world.manage('PUT', `/acl/token/${AccessorID}`, { Policies })
    expect(await info(MANAGEMENT)).toEqual([])
  })

  test('waits for changes to its token, but not to others', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a' })
    const first = await world.ask('GET', '/acl/info/a')
    let answered = false
    const waiting = world.ask('GET', `/acl/info/a?index=${first.headers['X-Service-Index']}`).finally(() => {
      answered = true
    })
    await world.clock.advance(1_000)
    await world.manage('PUT', '/acl/create', { ID: 'b' })
    await world.clock.advance(1_000)
    expect(answered).toBe(false)
    await world.manage('PUT', '/acl/update', { ID: 'a', Name: 'changed' })
    expect((await waiting).json).toMatchObject([{ Name: 'changed' }])
  })
})

describe('clone', () => {
  test('answers the ID of a new token with the same name, type and rules', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a', Name: 'n', Rules: RULES })
    const { ID } = (await world.manage('PUT', '/acl/clone/a')) as { ID: string }
    expect(ID).not.toBe('a')
    expect(await info(ID)).toMatchObject([{ Name: 'n', Type: 'client', Rules: RULES }])
  })

  test('403 Permission denied: an unknown secret, and a secret of the new API', async () => {
    const { SecretID } = await world.token()
    for (const id of ['unknown', SecretID]) {
      const reply = await world.ask('PUT', `/acl/clone/${id}`, { token })
      expect([reply.status, reply.text]).toEqual([403, 'Permission denied'])
    }
  })
})

describe('list', () => {
  test('legacy tokens and the initial management token, in byte order of their IDs', async () => {
    await world.token()
    for (const ID of ['b', 'B', 'ä', 'a', '\u{1F600}', '\uFFFD'])
      await world.manage('PUT', '/acl/create', { ID })
    const ids = ((await world.manage('GET', '/acl/list')) as { ID: string }[]).map(({ ID }) => ID)
    expect(ids).toEqual(['B', 'a', MANAGEMENT, 'b', 'ä', '\uFFFD', '\u{1F600}'])
  })
})

describe('an expired token of the new API is absent, whether reaped or not (decisions: tokens)', () => {
  const expired = async () => {
    const SecretID = anId(0xe)
    await world.token({ SecretID, ExpirationTTL: '1m' })
    world.clock.set(START + 60_000)
    return { world, SecretID }
  }

  test('its secret may be used for a legacy token', async () => {
    const { world, SecretID } = await expired()
    await world.manage('PUT', '/acl/create', { ID: SecretID, Rules: RULES })
    expect(await info(SecretID)).toMatchObject([{ Type: 'client', Rules: RULES }])
    const self = await world.ask('GET', '/acl/token/self', { token: SecretID })
    expect(self.json).toMatchObject({ AccessorID: '', CreateTime: '0001-01-01T00:00:00Z' })
  })

  test('it cannot be cloned, and destroying it answers the same as for an unknown token', async () => {
    const { world, SecretID } = await expired()
    expect((await world.ask('PUT', `/acl/clone/${SecretID}`, { token })).status).toBe(403)
    expect(await world.manage('PUT', `/acl/destroy/${SecretID}`)).toBe(true)
  })
})

describe('rights', () => {
  test('a request without a token has the rights of the anonymous token', async () => {
    await world.manage('PUT', '/acl/token/00000000-0000-0000-0000-000000000002', {
      Policies: [{ Name: 'global-management' }],
    })
    expect((await world.ask('PUT', '/acl/create')).status).toBe(200)
  })
})

describe('both trailing forms', () => {
  test.each([
    ['PUT', '/acl/destroy', 'Missing ACL'],
    ['PUT', '/acl/destroy/', 'Missing ACL'],
    ['GET', '/acl/info', 'Missing ACL'],
    ['GET', '/acl/info/', 'Missing ACL'],
    ['PUT', '/acl/clone', 'Missing ACL'],
    ['PUT', '/acl/clone/', 'Missing ACL'],
    ['GET', '/acl/rules/translate/', 'Missing token AccessorID'],
  ])('400 id_missing: %s %s without its last part', async (method, path, text) => {
    const reply = await world.ask(method, path, { token })
    expect([reply.status, reply.code, reply.text]).toEqual([400, 'id_missing', text])
  })

  test('400 for a path with an extra segment: it is another path', async () => {
    for (const path of ['/acl/create/', '/acl/list/'])
      expect((await world.ask('PUT', path, { token })).status).toBe(404)
  })
})

describe('translate', () => {
  test('the rules of a stored token, by its accessor', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a', Rules: 'node "n" { policy = "read" }' })
    await migrate('a')
    const path = `/acl/rules/translate/${anId(0x7000)}`
    expect((await world.ask('GET', path, { token })).text).toContain('node_prefix "n"')
    const { AccessorID } = await world.token()
    const without = await world.ask('GET', `/acl/rules/translate/${AccessorID}`, { token })
    expect([without.code, without.text]).toEqual([
      'legacy_rules_missing',
      'The specified token does not have any rules set',
    ])
    expect((await world.ask('GET', `/acl/rules/translate/${anId(9)}`, { token })).code).toBe('not_found')
    expect((await world.ask('GET', '/acl/rules/translate/x', { token })).code).toBe('id_invalid')
  })
})

describe('legacy tokens and the new API (spec 9.2.4)', () => {
  test('an update converts a token: rules and type are removed, and its rights are what the body links', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a', Name: 'n', Rules: RULES })
    await migrate('a')
    const path = `/acl/token/${anId(0x7000)}`
    const policy = await world.policy({ Name: 'other', Rules: 'key "other" { policy = "read" }' })
    await world.manage('PUT', path, { Description: 'converted', Policies: [{ ID: policy.ID }] })
    expect(await info('a')).toEqual([])
    expect((await world.ask('PUT', '/kv/app', { token: 'a', body: 'x' })).status).toBe(403)
    expect((await world.ask('GET', '/kv/other', { token: 'a' })).status).toBe(404)
    const update = await world.ask('PUT', '/acl/update', { token, body: { ID: 'a' } })
    expect(update.code).toBe('legacy_token_immutable')
  })

  test('a record cannot be sent back as read, with its rules', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a', Rules: RULES })
    await migrate('a')
    const path = `/acl/token/${anId(0x7000)}`
    const read = await world.manage('GET', path)
    expect((await world.ask('PUT', path, { token, body: read })).status).toBe(400)
  })

  test('an update to an empty accessor is a 400 that creates nothing (decisions: upgrade)', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'a' })
    const before = ((await world.manage('GET', '/acl/tokens')) as unknown[]).length
    for (const body of [{}, { AccessorID: '' }, { SecretID: 'a' }])
      expect((await world.ask('PUT', '/acl/token/', { token, body })).code).toBe('id_missing')
    expect(await world.manage('GET', '/acl/tokens')).toHaveLength(before)
  })
})

describe('authorization by legacy rules, before 1.4.0 and after', () => {
  test('a request without a token has the rules of the anonymous token, even before it has an accessor (spec 9.2.3)', async () => {
    const world = await aWorld({ version: '1.3.0' })
    const stored = await world.store.tokenBySecret('anonymous')
    if (!stored) throw new Error('there is no anonymous token')
    const record = aToken({ AccessorID: '', SecretID: 'anonymous', Type: 'client', Rules: RULES })
    world.store.commitNow([putOf('tokens', record, stored.ModifyIndex)])
    expect((await world.ask('PUT', '/kv/app/a', { body: 'x' })).status).toBe(200)
    const refused = await world.ask('GET', '/kv/else')
    expect([refused.code, refused.text]).toEqual([
      'privilege_missing',
      expect.stringContaining('anonymous token lacks'),
    ])
    await migrate('anonymous', world)
    expect((await world.ask('GET', '/kv/app/a')).status).toBe(200)
  })

  test('unreadable rules that were stored before a check existed give no rights', async () => {
    const world = await aWorld({ version: '1.3.0' })
    const record = aToken({ AccessorID: '', SecretID: 'a', Type: 'client', Rules: 'key "" { policy = ' })
    world.store.commitNow([putOf('tokens', record, 0)])
    await world.manage('PUT', '/kv/a', 'x')
    expect((await world.ask('GET', '/kv/a', { token: 'a' })).status).toBe(403)
  })
})
