/** The list of tokens. Spec 4.8; decisions: record shapes, blocking queries. API-03, DIF-03. */

import type { TokenListEntry } from '@latchkey/contract'
import { putOf } from '@latchkey/testkit/records/changes'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeAll, describe, expect, test } from 'vitest'

async function list(world: World, query = '', token = MANAGEMENT): Promise<readonly TokenListEntry[]> {
  const reply = await world.ask('GET', `/acl/tokens${query}`, { token })
  if (reply.status !== 200) expect.fail(`${query}: ${reply.status} ${reply.text}`)
  return reply.json as readonly TokenListEntry[]
}

const accessorsOf = (entries: readonly TokenListEntry[]) => entries.map(({ AccessorID }) => AccessorID)

test('legacy tokens are marked and show no rules', async () => {
  const world = await aWorld({ version: '1.10.12' })
  await world.manage('PUT', '/acl/create', { ID: 'old', Rules: 'key "" { policy = "read" }' })
  const entry = (await list(world)).at(-1)
  expect(entry).toMatchObject({ AccessorID: '', SecretID: 'old', Legacy: true })
  expect(entry).not.toHaveProperty('Rules')
})

test('the policy filter still finds a token by a deleted policy (spec 4.8)', async () => {
  const world = await aWorld()
  const gone = await world.policy({ Name: 'gone' })
  const token = await world.token({ Policies: [{ ID: gone.ID }] })
  await world.manage('DELETE', `/acl/policy/${gone.ID}`)
  expect(accessorsOf(await list(world, `?policy=${gone.ID}`))).toEqual([token.AccessorID])
})

describe('API-03: pages (extension)', () => {
  test.each(['CreateIndex', '-CreateIndex'])(
    'by %s: pages skip none of the tokens without an accessor from one commit',
    async (sort) => {
      const world = await aWorld()
      const records = Array.from({ length: 11 }, (_, i) =>
        aToken({ AccessorID: '', Description: `tie ${i}` }),
      )
      await world.store.commit(records.map((record) => putOf('tokens', record, 0)))
      const found: string[] = []
      for (let cursor = ''; ; ) {
        const query = `?sort=${sort}&limit=2${cursor}`
        const reply = await world.ask('GET', `/acl/tokens${query}`, { token: MANAGEMENT })
        found.push(...(reply.json as readonly TokenListEntry[]).map(({ Description }) => Description))
        const next = reply.headers['X-Service-Next-Cursor']
        if (next === undefined) break
        for (const { SecretID } of records) expect(next).not.toContain(SecretID)
        cursor = `&cursor=${next}`
      }
      const ties = found.filter((description) => description.startsWith('tie '))
      expect(ties.toSorted()).toEqual(records.map(({ Description }) => Description).toSorted())
      expect(new Set(found).size).toBe(found.length)
    },
  )

  test('a page may be filtered and omits expired tokens', async () => {
    const world = await aWorld()
    const { ID } = await world.policy({ Name: 'reader' })
    for (let i = 0; i < 10; i += 1) {
      await world.token({ Policies: [{ ID }], ...(i % 2 === 0 ? { ExpirationTTL: '60s' } : {}) })
    }
    await world.clock.advance(60_000)
    const first = await world.ask('GET', `/acl/tokens?policy=${ID}&limit=6`, { token: MANAGEMENT })
    expect(first.json).toHaveLength(3)
    const cursor = first.headers['X-Service-Next-Cursor']
    expect(await list(world, `?policy=${ID}&limit=6&cursor=${cursor}`)).toHaveLength(2)
  })
})

describe('filter and sort (extensions)', () => {
  let world: World
  let policyId: string
  let all: readonly TokenListEntry[]
  beforeAll(async () => {
    world = await aWorld()
    policyId = (await world.policy({ Name: 'reader' })).ID
    const roleId = (await world.role({ Name: 'ops' })).ID
    for (let i = 0; i < 16; i += 1) {
      await world.token({
        Local: i % 2 === 0,
        ...(i % 3 === 0 ? { Policies: [{ ID: policyId }] } : {}),
        ...(i % 4 === 0 ? { Roles: [{ ID: roleId }] } : {}),
        ...(i % 5 === 0 ? { ServiceIdentities: [{ ServiceName: 'web' }] } : {}),
      })
    }
    const login = aToken({ AuthMethod: 'oidc', Local: true })
    await world.store.commit([putOf('tokens', login, 0)])
    all = await list(world)
  })

  const isWeb = ({ ServiceIdentities = [] }: TokenListEntry) =>
    ServiceIdentities.some(({ ServiceName }) => ServiceName === 'web')
  const hasPolicy = ({ Policies }: TokenListEntry) => Policies?.some(({ ID }) => ID === policyId) ?? false
  const isOps = ({ Roles }: TokenListEntry) => Roles?.some(({ Name }) => Name === 'ops') ?? false
  const path = (filter: string) => `?filter=${encodeURIComponent(filter)}`

  test('each field alone, combined, and with a link filter, in both orders', async () => {
    const cases: readonly [string, (entry: TokenListEntry) => boolean][] = [
      [path('Local==true'), ({ Local }) => Local],
      [path('Local==false'), ({ Local }) => !Local],
      [path(`Policies.ID==${policyId}`), hasPolicy],
      [path(`Roles.ID==${all.flatMap(({ Roles = [] }) => Roles)[0]?.ID}`), isOps],
      [path('AuthMethod==oidc'), ({ AuthMethod }) => AuthMethod === 'oidc'],
      [path('ServiceIdentities.ServiceName==web'), isWeb],
      [
        path(`ServiceIdentities.ServiceName==web and Policies.ID==${policyId}`),
        (t) => isWeb(t) && hasPolicy(t),
      ],
      [`${path('Local==true')}&policy=${policyId}`, (t) => t.Local && hasPolicy(t)],
    ]
    for (const [query, shows] of cases) {
      const expected = accessorsOf(all.filter(shows))
      expect(expected.length, query).toBeGreaterThan(0)
      expect(accessorsOf(await list(world, query)), query).toEqual(expected)
      expect(accessorsOf(await list(world, `${query}&sort=-CreateIndex`)), query).toEqual(
        expected.toReversed(),
      )
      expect(accessorsOf(await list(world, `${query}&sort=-CreateIndex&limit=1`)), query).toEqual(
        expected.slice(-1),
      )
    }
    expect(await list(world, path('AuthMethod==OIDC'))).toEqual([])
    expect(await list(world, '?sort=CreateIndex')).toEqual(all)
  })

  test.each([
    ['Description==x', /one of the fields Policies\.ID, Roles\.ID, AuthMethod, /],
    ['constructor==x', /one of the fields/],
    ['policies.ID==x', /one of the fields/],
    ['Local==yes', /true or false/],
    ['Local==true and Local==true', /twice/],
    ['x', /terms such as/],
    ['Local=true', /terms such as/],
    ['Local == true', /terms such as/],
    ['Local==', /terms such as/],
    ['Local==true and ', /terms such as/],
    ['Local==true or AuthMethod==x', /terms such as/],
    ['AuthMethod=="oidc"', /quotes/],
    [Array(6).fill('Local==true').join(' and '), /more than 5 terms/],
    [`AuthMethod==${'ü'.repeat(507)}`, /longer than 1024 bytes/],
  ])('query_invalid: a filter of %j', async (filter, message) => {
    const reply = await world.ask('GET', `/acl/tokens${path(filter)}`, { token: MANAGEMENT })
    expect(reply).toMatchObject({ status: 400, code: 'query_invalid' })
    expect(reply.text).toMatch(/filter /)
    expect(reply.text).toMatch(message)
  })

  test('accepts a filter of 1,024 bytes; refuses two comparisons of a field, link filter included', async () => {
    expect(await list(world, path(`AuthMethod==${'ü'.repeat(506)}`))).toEqual([])
    const reply = await world.ask('GET', `/acl/tokens${path('Policies.ID==a')}&policy=b`, {
      token: MANAGEMENT,
    })
    expect(reply).toMatchObject({ status: 400, code: 'query_invalid' })
  })

  test.each(['createindex', '+CreateIndex', '--CreateIndex', 'Description', '-', 'CreateIndex,Local'])(
    'query_invalid: a sort of %j',
    async (sort) => {
      const reply = await world.ask('GET', `/acl/tokens?sort=${encodeURIComponent(sort)}`, {
        token: MANAGEMENT,
      })
      expect(reply).toMatchObject({ status: 400, code: 'query_invalid' })
      expect(reply.text).toMatch(/sort must be CreateIndex or -CreateIndex/)
    },
  )

  test.each([
    ['CreateIndex', '-CreateIndex'],
    ['-CreateIndex', 'CreateIndex'],
  ])('query_invalid: a cursor of a list by %s sent with sort=%s', async (first, second) => {
    const page = await world.ask('GET', `/acl/tokens?limit=3&sort=${first}`, { token: MANAGEMENT })
    const cursor = page.headers['X-Service-Next-Cursor']
    const next = (sort: string) =>
      world.ask('GET', `/acl/tokens?cursor=${cursor}&sort=${sort}`, { token: MANAGEMENT })
    expect((await next(first)).json).toHaveLength(all.length - 3)
    const refused = await next(second)
    expect(refused).toMatchObject({ status: 400, code: 'query_invalid' })
    expect(refused.text).toMatch(/cursor is of a list in the other order/)
  })

  test('with newest first, later pages omit tokens created after the first page', async () => {
    const first = await world.ask('GET', '/acl/tokens?limit=2&sort=-CreateIndex', { token: MANAGEMENT })
    const late = await world.token()
    const cursor = first.headers['X-Service-Next-Cursor']
    const rest = accessorsOf(await list(world, `?sort=-CreateIndex&cursor=${cursor}`))
    expect(rest).toEqual(accessorsOf(all).slice(0, -2).reverse())
    await world.manage('DELETE', `/acl/token/${late.AccessorID}`)
  })
})
