import { convertForMigration, fromLegacyToken } from '@latchkey/acl'
import type { LegacyToken } from '@latchkey/contract'
import { deleteOf, putOf } from '@latchkey/testkit/records/changes'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

const token = MANAGEMENT
const PATH = '/internal/acl/legacy-tokens'
const RULES = 'key "app" { policy = "write" }'

let world: World
beforeEach(async () => {
  world = await aWorld({ version: '1.10' })
})

const aLegacy = (ID: string, fields: object = {}) => ({
  ID,
  Name: `name of ${ID}`,
  Type: 'client',
  Rules: RULES,
  CreateIndex: 7,
  ModifyIndex: 9,
  ...fields,
})

async function exported(): Promise<unknown[]> {
  const list = (await world.manage('GET', PATH)) as { ID: string }[]
  return list.filter(({ ID }) => ID !== MANAGEMENT)
}

test('imports the list of a legacy cluster, and an export returns it', async () => {
  const dump = [aLegacy('b', { CreateIndex: 8 }), aLegacy('a', { Type: 'management', Rules: '' })]
  expect(await world.manage('PUT', PATH, dump)).toEqual({ Imported: 2, Unchanged: 0, Problems: [] })
  const ModifyIndex = expect.any(Number)
  expect(await exported()).toEqual([
    { ...aLegacy('a', { Type: 'management', Rules: '' }), ModifyIndex },
    { ...aLegacy('b', { CreateIndex: 8 }), ModifyIndex },
  ])
  expect((await world.ask('PUT', '/kv/app', { token: 'b', body: 'x' })).status).toBe(200)
})

test('a repeated import continues: existing tokens are unchanged, migrated or not', async () => {
  const dump = ['a', 'b', 'c'].map((ID) => aLegacy(ID, { Type: ID === 'b' ? 'management' : 'client' }))
  await world.manage('PUT', PATH, dump.slice(0, 2))
  for (const [i, ID] of ['a', 'b'].entries()) {
    const stored = await world.store.tokenBySecret(ID)
    if (!stored) throw new Error('not imported')
    const record = convertForMigration(stored, `a0000000-0000-4000-8000-00000000000${i}`)
    world.store.commitNow([putOf('tokens', record, stored.ModifyIndex)])
  }
  expect(await world.manage('PUT', PATH, dump)).toMatchObject({ Imported: 1, Unchanged: 2 })
  expect((await world.store.tokenBySecret('a'))?.AccessorID).not.toBe('')
})

describe('a token that the server created itself takes the content of the list', () => {
  /** Stores a token as a server before 1.4.0 creates it, or with changes. */
  async function builtin(world: World, ID: string, fields: Partial<LegacyToken>): Promise<void> {
    const stored = await world.store.tokenBySecret(ID)
    const legacy = { ...aLegacy(ID, { Rules: '' }), Type: 'client', ...fields } as const
    const record = fromLegacyToken(legacy)
    const expect = stored?.ModifyIndex ?? 0
    if (stored) world.store.commitNow([deleteOf('tokens', stored, expect)])
    world.store.commitNow([putOf('tokens', { ...record, CreateIndex: 0, ModifyIndex: 0 }, 0)])
  }

  test.each([
    ['anonymous', { Name: 'Anonymous Token' }, { Name: 'public', Rules: RULES }],
    ['first', { Name: 'Master Token', Type: 'management' }, { Name: 'operators', Type: 'management' }],
  ] as const)('%s, once', async (ID, created, wanted) => {
    await builtin(world, ID, created)
    const dump = [aLegacy(ID, { Rules: '', ...wanted })]
    expect(await world.manage('PUT', PATH, dump)).toEqual({ Imported: 1, Unchanged: 0, Problems: [] })
    expect(await world.manage('GET', `/acl/info/${ID}`)).toMatchObject([wanted])
    expect(await world.manage('PUT', PATH, dump)).toEqual({ Imported: 0, Unchanged: 1, Problems: [] })
    const other = [aLegacy(ID, { Rules: '', ...wanted, Name: 'other' })]
    expect((await world.ask('PUT', PATH, { token, body: other })).code).toBe('field_invalid')
  })

  test('the anonymous token of 1.4.0 or later keeps its accessor', async () => {
    const dump = [aLegacy('anonymous')]
    expect(await world.manage('PUT', PATH, dump)).toMatchObject({ Imported: 1 })
    const { AccessorID, Rules } = (await world.store.tokenBySecret('anonymous')) ?? {}
    expect({ AccessorID, Rules }).toEqual({
      AccessorID: '00000000-0000-0000-0000-000000000002',
      Rules: RULES,
    })
  })

  test.each([
    ['management', 'client'],
    ['client', 'management'],
  ] as const)('but not another type: %s', async (Type, wanted) => {
    await builtin(world, Type === 'client' ? 'anonymous' : 'first', {
      Name: Type === 'client' ? 'Anonymous Token' : 'Master Token',
      Type,
    })
    const body = [aLegacy(Type === 'client' ? 'anonymous' : 'first', { Type: wanted })]
    expect((await world.ask('PUT', PATH, { token, body })).code).toBe('field_invalid')
  })
})

test('a list longer than one commit is imported in its order', async () => {
  const dump = Array.from({ length: 1_201 }, (_, i) => aLegacy(`t${i}`, { CreateIndex: 0 }))
  expect(await world.manage('PUT', PATH, dump)).toMatchObject({ Imported: 1_201 })
  expect(await exported()).toHaveLength(1_201)
})

describe('nothing is imported if one record cannot be', () => {
  test('400 field_invalid: lists every problem with its place, and no secret', async () => {
    await world.manage('PUT', '/acl/create', { ID: 'taken', Rules: '' })
    const dump = [
      aLegacy('good'),
      aLegacy('bad-type', { Type: 'admin' }),
      {},
      aLegacy('good'),
      aLegacy('taken'),
      { Name: 'without id' },
    ]
    const reply = await world.ask('PUT', PATH, { token, body: dump })
    expect([reply.status, reply.code]).toEqual([400, 'field_invalid'])
    expect(reply.text).toBe(
      [
        'Nothing was imported: 5 problem(s)',
        '[1].Type is neither "client" nor "management"',
        '[2].ID is missing',
        '[3].ID is the same as [0].ID',
        '[5].ID is missing',
        '[4].ID is the secret of a token that exists with other content',
      ].join('\n'),
    )
    expect(await exported()).toMatchObject([{ ID: 'taken' }])
  })

  test('of many problems, 50 are listed and all are counted', async () => {
    const reply = await world.ask('PUT', PATH, { token, body: Array.from({ length: 60 }, () => ({})) })
    expect(reply.text.split('\n')).toHaveLength(52)
    expect(reply.text).toMatch(/^Nothing was imported: 60 problem\(s\)\n.*\nand 10 more$/s)
  })

  test.each([
    ['', 'body_malformed'],
    ['[{"ID":"canary-1"', 'body_malformed'],
    ['[{"ID":"canary-1" oops}]', 'body_malformed'],
    [new Uint8Array([0x5b, 0xff, 0x5d]), 'body_malformed'],
    ['[{"ID":"canary-1"}, "canary-2"]', 'body_malformed'],
    ['{"ID":"canary-1"}', 'field_type'],
  ])('400 for a body that is no list: %s', async (body, code) => {
    const reply = await world.ask('PUT', PATH, { token, body })
    expect(reply.code).toBe(code)
    expect(reply.text).not.toContain('canary')
  })
})

test('a token of the new API that has the secret is a problem', async () => {
  const { SecretID } = await world.token()
  const reply = await world.ask('PUT', PATH, { token, body: [aLegacy(SecretID)] })
  expect(reply.text).toContain('[0].ID is the secret of a token that exists with other content')
})

test('warnings are reported and do not stop the import', async () => {
  const dump = [aLegacy('a', { Rules: 'acl = "write"' }), aLegacy('b', { Rules: 'key "a" {' })]
  const { Imported, Problems } = (await world.manage('PUT', PATH, dump)) as {
    Imported: number
    Problems: { Position: number; Code: string; Severity: string }[]
  }
  expect(Imported).toBe(2)
  expect(Problems.map(({ Position, Code, Severity }) => [Position, Code, Severity])).toEqual([
    [0, 'rules_ignored', 'warning'],
    [1, 'rules_unreadable', 'warning'],
  ])
})

describe('a part of a longer list', () => {
  test('with a position, problems have their place in the whole list', async () => {
    const body = [aLegacy('a'), aLegacy('a'), { Name: 'x' }]
    const reply = await world.ask('PUT', `${PATH}?position=5000`, { token, body })
    expect(reply.text.split('\n').slice(1)).toEqual([
      '[5001].ID is the same as [5000].ID',
      '[5002].ID is missing',
    ])
  })

  test.each(['-1', '1.5', 'x', '1234567890123456'])('400 query_invalid: position=%s', async (position) => {
    expect((await world.ask('PUT', `${PATH}?position=${position}`, { token, body: [] })).code).toBe(
      'query_invalid',
    )
  })
})

test('a check lists every problem and what would be imported, and writes nothing', async () => {
  await world.manage('PUT', PATH, [aLegacy('known')])
  const before = world.store.tableIndex('tokens')
  const dump = [
    aLegacy('known'),
    aLegacy('new'),
    aLegacy('known', { Rules: '' }),
    aLegacy('bad', { Type: 'x' }),
  ]
  expect(await world.manage('PUT', `${PATH}?check`, dump)).toEqual({
    Imported: 1,
    Unchanged: 1,
    Problems: [
      expect.objectContaining({ Position: 2, Code: 'id_duplicate', Severity: 'error' }),
      expect.objectContaining({ Position: 3, Code: 'type_unknown', Severity: 'error' }),
    ],
  })
  expect(world.store.tableIndex('tokens')).toBe(before)
})

test('410 from 1.11 on, where legacy tokens cannot be created (spec 9.1)', async () => {
  const { ask } = await aWorld({ version: '1.11' })
  const reply = await ask('PUT', PATH, { token, body: [] })
  expect([reply.status, reply.text]).toEqual([
    410,
    `Endpoint /v1${PATH} for the legacy ACL system was removed in version 1.11.`,
  ])
})
