/**
 * SEC-03: a local token has no rights outside its datacenter. For each of two datacenters, its managing local token calls
 * every endpoint of the contract through every way into the other datacenter.
 */
import { type EndpointName, ROUTE_LIST, type Token } from '@latchkey/contract'
import { aFleet, type Fleet } from '@latchkey/testkit/service/fleet'
import { MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeAll, describe, expect, test } from 'vitest'

/** The version and edition with the most endpoints. */
const OPTIONS = { version: '1.10.12', edition: 'extended' } as const
const MANAGER = { Policies: [{ Name: 'global-management' }], Local: true }
const FORWARDED = { 'x-service-forwarded': 'dc3' }

let fleet: Fleet
let global: Token
/** By datacenter. */
let locals: { readonly dc1: Token; readonly dc2: Token }

beforeAll(async () => {
  fleet = await aFleet({ primary: OPTIONS, secondary: OPTIONS })
  global = await fleet.primary.token()
  await fleet.follow()
  locals = { dc1: await fleet.primary.token(MANAGER), dc2: await fleet.secondary.token(MANAGER) }
  fleet.fallBehind()
})

interface Way {
  readonly of: 'dc1' | 'dc2'
  readonly at: 'dc1' | 'dc2'
  readonly dc?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Ways of a local token out of its datacenter. `dc` with its own datacenter leads back, so it is not one of them. */
const WAYS: readonly Way[] = [
  { of: 'dc1', at: 'dc2' },
  { of: 'dc1', at: 'dc2', dc: 'dc2' },
  { of: 'dc1', at: 'dc1', dc: 'dc2' },
  { of: 'dc1', at: 'dc1', headers: FORWARDED },
  { of: 'dc1', at: 'dc2', headers: FORWARDED, dc: 'dc2' },
  { of: 'dc2', at: 'dc1' },
  { of: 'dc2', at: 'dc1', dc: 'dc1' },
  { of: 'dc2', at: 'dc2', dc: 'dc1' },
  { of: 'dc2', at: 'dc1', headers: FORWARDED },
  { of: 'dc2', at: 'dc1', headers: FORWARDED, dc: 'dc1' },
]

const worldOf = (name: 'dc1' | 'dc2'): World => (name === 'dc1' ? fleet.primary : fleet.secondary)

/** Records that paths name; all exist in both datacenters. */
const NAMED: Readonly<Record<string, () => string>> = {
  AccessorID: () => global.AccessorID,
  ID: () => global.SecretID,
  Name: () => 'global-management',
  Key: () => 'key',
}

function requestTo({ path, body }: (typeof ROUTE_LIST)[number], dc?: string) {
  const filled = path.slice('/v1'.length).replace(/:(\w+)/g, (_, name) => NAMED[name]?.() ?? 'any')
  return {
    path: dc === undefined ? filled : `${filled}?dc=${dc}`,
    body: body === undefined ? undefined : '{}',
  }
}

/** No token at all. */
const NONE = ''
/** Endpoints that show only what the caller may see, which is nothing without any rights. */
const FILTERED = ROUTE_LIST.filter(({ right }) =>
  ['intention', 'catalog', 'session', 'transaction'].includes(right),
).map(({ name }) => name)

async function isRefused(name: EndpointName, way: Way): Promise<boolean> {
  const { status, text } = await outcome(name, way)
  if (status === 403) return true
  return FILTERED.includes(name) && text === (await outcome(name, way, NONE)).text
}

/** The commit indexes of both datacenters. */
const commits = () => [fleet.primary, fleet.secondary].map(({ store }) => store.commitIndex())

const withRight = ROUTE_LIST.filter(({ right }) => right !== 'none').map(({ name }) => name)
const withoutRight = ROUTE_LIST.filter(({ right }) => right === 'none').map(({ name }) => name)
const routeNamed = (name: EndpointName) => ROUTE_LIST.find((route) => route.name === name) ?? expect.fail()

async function outcome(name: EndpointName, { of, at, dc, headers }: Way, token = locals[of].SecretID) {
  const route = routeNamed(name)
  const { path, body } = requestTo(route, dc)
  const before = commits()
  const { status, text } = await worldOf(at).ask(route.method, path, {
    ...(token === NONE ? {} : { token }),
    body,
    ...(headers ? { headers } : {}),
  })
  expect(commits(), `${name} wrote something`).toEqual(before)
  return { status, text }
}

describe('SEC-03: with the managing local token of the other datacenter', () => {
  test.each(withRight)('403, or nothing to see: %s', async (name) => {
    const answers = await Promise.all(
      WAYS.map(async (way) => ({ way, isRefused: await isRefused(name, way) })),
    )
    expect(answers.filter((answer) => !answer.isRefused)).toEqual([])
  })

  test.each(withoutRight)('%s answers as for a caller without a token', async (name) => {
    for (const way of WAYS) {
      const { text } = await outcome(name, way)
      expect(text).not.toContain('"Allow":true')
      for (const { SecretID } of [locals.dc1, locals.dc2, { SecretID: MANAGEMENT }])
        expect(text).not.toContain(SecretID)
    }
  })

  const forPrimary = ROUTE_LIST.filter(({ writes }) => writes === 'global' || writes === 'token')
  test.each(forPrimary.map(({ name }) => name))(
    '403: %s in its own datacenter, which forwards it to the primary',
    async (name) => {
      const { status, text } = await outcome(name, { of: 'dc2', at: 'dc2' })
      expect(status).toBe(403)
      if (name !== 'login.logout') expect(text).toContain('; the local token of dc2 is not valid in dc1')
    },
  )

  test('its secret never left its datacenter', () => {
    expect(fleet.hops.length).toBeGreaterThan(100)
    for (const { to, request } of fleet.hops) {
      const { dc1, dc2 } = locals
      const foreign = to === 'dc1' ? dc2 : dc1
      expect(JSON.stringify([request.headers, request.url])).not.toContain(foreign.SecretID)
    }
  })

  test('a token that both datacenters have is accepted on every way except one that clients cannot use', async () => {
    for (const way of WAYS.filter(({ headers }) => !headers)) {
      expect((await outcome('policies.list', way, MANAGEMENT)).status).toBe(200)
    }
  })
})

test('members of an area are those of the other datacenter, which a local token may not ask (spec 9.4)', async () => {
  const { primary } = fleet
  const body = { PeerDatacenter: 'dc2', RetryJoin: [] }
  const { ID } = (await primary.manage('POST', '/operator/area', body)) as { ID: string }
  const members = (token: string) => primary.ask('GET', `/operator/area/${ID}/members`, { token })
  const [shown] = (await members(MANAGEMENT)).json as readonly object[]
  expect(shown).toMatchObject({ Name: 'n1.dc2', Datacenter: 'dc2', Role: 'server', Status: 'alive', RTT: -1 })
  expect((await members(locals.dc1.SecretID)).code).toBe('caller_unknown')
})
