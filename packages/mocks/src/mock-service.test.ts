import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type CallOptions, call } from '../test/call.ts'
import { createMockService, type MockService, type MockServiceOptions } from './index.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const START = Date.parse('2026-01-01T00:00:00Z')

/** A service with frozen time, behind the global `fetch`. */
function mount(options: MockServiceOptions = {}) {
  const service = createMockService({ clock: START, ...options })
  server.use(...service.handlers)
  const ask = (method: string, path: string, request?: CallOptions) => call(service, method, path, request)
  return { service, ask }
}

type Ask = ReturnType<typeof mount>['ask']

async function aToken(ask: Ask, body: object = {}): Promise<Record<string, string>> {
  const answer = await ask('PUT', '/acl/token', { body })
  expect(answer.status).toBe(200)
  return answer.json as Record<string, string>
}

const READER = {
  policies: [{ Name: 'reader', Rules: 'acl = "read"' }],
  tokens: [
    {
      SecretID: '00000000-1111-4000-8000-00000000000e',
      Description: 'reads',
      Policies: [{ Name: 'reader' }],
    },
  ],
}
const READER_SECRET = '00000000-1111-4000-8000-00000000000e'

describe('the mock is the service', () => {
  test('a streamed list arrives whole', async () => {
    const { ask } = mount({
      seed: { tokens: Array.from({ length: 4_200 }, () => ({ Description: 'x'.repeat(4_000) })) },
    })
    const list = await ask('GET', '/acl/tokens')
    expect(list.json).toHaveLength(4_202)
  })
})

describe('time', () => {
  test('real time can be advanced too', async () => {
    const { service, ask } = mount({ clock: 'real' })
    const token = await aToken(ask, { ExpirationTTL: '1h' })
    service.clock.advance('1h')
    expect((await ask('GET', `/acl/token/${token.AccessorID}`)).status).toBe(404)
  })

  test('a blocking query ends when the clock has passed its wait, at most a sixteenth later (spec 4.1)', async () => {
    const { service, ask } = mount()
    const token = await aToken(ask)
    const waiting = ask('GET', `/acl/token/${token.AccessorID}?index=${token.ModifyIndex}&wait=16s`)
    await service.untilWaiting()
    service.clock.advance('17s')
    const answer = await waiting
    expect([answer.status, answer.headers.get('x-service-index')]).toEqual([200, String(token.ModifyIndex)])
  })

  test('one timer waits for the next expiry, however many tokens expire', async () => {
    vi.useFakeTimers()
    try {
      const { baseUrl, fetch, managementToken } = createMockService()
      const headers = { 'X-Service-Token': managementToken }
      const init = { method: 'PUT', headers, body: '{"ExpirationTTL":"1h"}' }
      const add = () => fetch(`${baseUrl}/v1/acl/token`, init)
      await add()
      const timers = vi.getTimerCount()
      await add()
      await add()
      expect(vi.getTimerCount()).toBe(timers)
    } finally {
      vi.useRealTimers()
    }
  })

  test('a wait ends when its client disconnects', async () => {
    const { service } = mount()
    const gone = new AbortController()
    const waiting = fetch(`${service.baseUrl}/v1/acl/tokens?index=1000`, {
      headers: { 'X-Service-Token': service.managementToken },
      signal: gone.signal,
    })
    await service.untilWaiting()
    gone.abort()
    await expect(waiting).rejects.toThrow(/abort/i)
    await vi.waitFor(() => expect(service.calls).toMatchObject([{ endpoint: 'tokens.list', status: 0 }]), {
      timeout: 20_000,
    })
  })
})

describe('legacy tokens', () => {
  test('get accessors in batches of 128, one a second, and keep everything else (spec 8, 9.2.3)', async () => {
    const { service, ask } = mount({ serviceVersion: '1.10' })
    for (let i = 0; i < 200; i += 1) {
      await ask('PUT', '/acl/create', { body: { Name: `t${i}`, Rules: 'key "a" { policy = "read" }' } })
    }
    const nameless = async () => {
      const list = (await ask('GET', '/acl/tokens')).json as unknown as {
        AccessorID: string
        Legacy?: true
      }[]
      expect(list.filter((token) => token.Legacy)).toHaveLength(200)
      return list.filter((token) => token.AccessorID === '').length
    }
    const steps: number[] = []
    for (const ms of [0, 250, 999, 1, 1_000]) {
      service.clock.advance(ms)
      steps.push(await nameless())
    }
    expect(steps).toEqual([200, 72, 72, 0, 0])
  })
})

test('aclMode: legacy gives no accessors to legacy tokens (spec 9.2.3)', async () => {
  const { service, ask } = mount({ serviceVersion: '1.10', aclMode: 'legacy' })
  await ask('PUT', '/acl/create', { body: {} })
  const index = async () => (await ask('GET', '/acl/list')).headers.get('x-service-index')
  const before = await index()
  service.clock.advance('5s')
  expect(await index()).toBe(before)
})

describe('failures on demand', () => {
  test('a status is answered once like the service does, without effect', async () => {
    const { service, ask } = mount()
    service.failNext('tokens.create', 503)
    const headers = { Accept: 'application/problem+json' }
    const failed = await ask('PUT', '/acl/token', { body: {}, headers })
    expect(failed.status).toBe(503)
    expect(failed.json).toMatchObject({ code: 'unavailable' })
    expect((await ask('GET', '/acl/tokens')).json).toHaveLength(2)
    expect((await ask('PUT', '/acl/token', { body: {} })).status).toBe(200)
  })

  test.each<[MockServiceOptions, string, number[]]>([
    [{}, 'X-Service-Token', [409, 503, 409]],
    [{}, 'X-Consul-Token', [500, 503, 500]],
    [{ statusCodes: 'service' }, 'X-Consul-Token', [409, 503, 409]],
    [{ statusCodes: 'reference' }, 'X-Service-Token', [500, 503, 500]],
  ])('with %j, a client that sends %s gets %j', async (options, header, expected) => {
    const { service, ask } = mount(options)
    const create = () =>
      ask('PUT', '/acl/policy', {
        ...{ body: { Name: 'global-management' }, token: '' },
        headers: { [header]: service.managementToken },
      })
    const statuses = [(await create()).status]
    for (const failure of [503, 'name_in_use'] as const) {
      service.failNext('policies.create', failure)
      statuses.push((await create()).status)
    }
    expect(statuses).toEqual(expected)
  })

  test('fails the given number of times, on this endpoint alone', async () => {
    const { service, ask } = mount()
    service.failNext('tokens.list', 500, 2)
    expect((await ask('GET', '/acl/token/self')).status).toBe(200)
    const statuses = [
      await ask('GET', '/acl/tokens'),
      await ask('GET', '/acl/tokens'),
      await ask('GET', '/acl/tokens'),
    ]
    expect(statuses.map(({ status }) => status)).toEqual([500, 500, 200])
  })

  test('a status that the service never sends looks like that of a proxy', async () => {
    const { service, ask } = mount()
    service.failNext('tokens.list', 502)
    const failed = await ask('GET', '/acl/tokens')
    expect([failed.status, failed.headers.get('content-type')]).toEqual([502, 'text/plain; charset=utf-8'])
  })

  test('network: the service is not reached', async () => {
    const { service, ask } = mount()
    service.failNext('tokens.create', 'network')
    await expect(ask('PUT', '/acl/token', { body: {} })).rejects.toThrow(TypeError)
    expect((await ask('GET', '/acl/tokens')).json).toHaveLength(2)
  })

  test('lost: the call takes effect, but its answer is lost', async () => {
    const { service, ask } = mount()
    service.failNext('tokens.create', 'lost')
    await expect(ask('PUT', '/acl/token', { body: {} })).rejects.toThrow(TypeError)
    expect((await ask('GET', '/acl/tokens')).json).toHaveLength(3)
  })

  test('an invalid failure is a TypeError', () => {
    const { service } = mount()
    expect(() => service.failNext('tokens.create', 200)).toThrow(/400 to 599/)
    expect(() => service.failNext('tokens.create', 503, 0)).toThrow(/times/)
    // @ts-expect-error no endpoint has this name
    expect(() => service.failNext('tokens.creat', 503)).toThrow(/no endpoint/)
  })
})

describe('latency', () => {
  test('ends when the client disconnects', async () => {
    const { service } = mount()
    const gone = new AbortController()
    service.latency(() => {
      setImmediate(() => gone.abort())
      return '1h'
    })
    const { baseUrl, managementToken } = service
    const headers = { 'X-Service-Token': managementToken }
    const slow = fetch(`${baseUrl}/v1/acl/tokens`, { headers, signal: gone.signal })
    await expect(slow).rejects.toThrow(/abort/i)
    await vi.waitFor(() => expect(service.calls).toMatchObject([{ endpoint: 'tokens.list', status: 0 }]), {
      timeout: 20_000,
    })
  })

  test('delays the answer, for all endpoints or by endpoint', async () => {
    const { service, ask } = mount({ latency: '30ms' })
    const startedAt = performance.now()
    await ask('GET', '/acl/tokens')
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29)
    service.latency((endpoint) => (endpoint === 'tokens.list' ? 3_600_000 : 0))
    expect((await ask('GET', '/acl/token/self')).status).toBe(200)
  })

  test('an invalid duration is a TypeError when set', () => {
    const { service } = mount()
    expect(() => service.latency('slow')).toThrow(TypeError)
    expect(() => createMockService({ latency: -1 })).toThrow(TypeError)
  })
})

describe('state', () => {
  test('restores a snapshot after later changes; indexes keep growing', async () => {
    const { service, ask } = mount()
    const kept = await aToken(ask)
    const snapshot = service.snapshot()
    const later = await aToken(ask)
    await ask('DELETE', `/acl/token/${kept.AccessorID}`)
    const before = Number((await ask('GET', '/acl/tokens')).headers.get('x-service-index'))
    service.restore(snapshot)
    expect((await ask('GET', `/acl/token/${kept.AccessorID}`)).status).toBe(200)
    expect((await ask('GET', `/acl/token/${later.AccessorID}`)).status).toBe(404)
    expect(Number((await ask('GET', '/acl/tokens')).headers.get('x-service-index'))).toBeGreaterThan(before)
  })

  test('restore wakes blocking queries', async () => {
    const { service, ask } = mount()
    const snapshot = service.snapshot()
    const token = await aToken(ask)
    const waiting = ask('GET', `/acl/token/${token.AccessorID}?index=${token.ModifyIndex}`)
    await service.untilWaiting()
    service.restore(snapshot)
    expect((await waiting).status).toBe(404)
  })

  test('reset restores seed, time and latency, and drops calls and failures', async () => {
    const { service, ask } = mount({ seed: READER })
    await aToken(ask)
    service.failNext('tokens.list', 503)
    service.latency('1h')
    service.clock.advance('1h')
    service.reset()
    expect(service.calls).toEqual([])
    expect(service.clock.now()).toBe(START)
    expect((await ask('GET', '/acl/tokens')).json).toHaveLength(3)
  })

  test.each<[object, string]>([
    [{ edition: 'Extended' }, "edition must be 'standard' or 'extended', not \"Extended\""],
    [{ defaultPolicy: 'maybe' }, "defaultPolicy must be 'allow' or 'deny'"],
    [{ aclMode: 'disabled' }, "aclMode must be 'enabled' or 'legacy'"],
    [{ unknownEndpoints: 'ignore' }, "unknownEndpoints must be 'fail' or 'answer'"],
    [{ defaultpolicy: 'allow' }, 'there is no option named "defaultpolicy"; did you mean defaultPolicy?'],
    [{ seed: { token: [] } }, 'there is no list of seed named "token"; did you mean tokens?'],
  ])('an option that TypeScript would refuse is a TypeError in JavaScript, too: %j', (options, message) => {
    expect(() => createMockService(options)).toThrow(message)
  })

  test('with randomSeed and frozen time, two runs are equal', async () => {
    const run = async () => {
      const { ask } = mount({ randomSeed: 7 })
      return aToken(ask, { ExpirationTTL: '1h' })
    }
    expect(await run()).toEqual(await run())
  })

  test('with randomSeed, ids are the same after every reset, and differ from those of the seed', async () => {
    const { service, ask } = mount({ randomSeed: 7, seed: { tokens: [{ Description: 'planted' }] } })
    const idOf = async () => (await aToken(ask)).AccessorID
    const [first, second] = [await idOf(), await idOf()]
    service.reset()
    expect([await idOf(), await idOf()]).toEqual([first, second])
    const tokens = (await ask('GET', '/acl/tokens')).json as unknown as { AccessorID: string }[]
    expect(new Set(tokens.map(({ AccessorID }) => AccessorID)).size).toBe(5)
  })
})

describe('calls', () => {
  test('have endpoint, method, path template, status and the accessor of the caller', async () => {
    const { service, ask } = mount({ seed: READER })
    const self = (await ask('GET', '/acl/token/self', { token: READER_SECRET })).json as Record<
      string,
      string
    >
    await ask('DELETE', `/acl/token/${self.AccessorID}`, { token: READER_SECRET })
    await ask('POST', '/acl/tokens')
    const { AccessorID: accessorId } = self
    expect(service.calls).toEqual([
      { endpoint: 'tokens.self', method: 'GET', path: '/v1/acl/token/self', status: 200, accessorId },
      {
        endpoint: 'tokens.delete',
        method: 'DELETE',
        path: '/v1/acl/token/:AccessorID',
        status: 403,
        accessorId,
      },
      { endpoint: undefined, method: 'POST', path: '/v1/acl/tokens', status: 405, accessorId: undefined },
    ])
  })

  test('no secret from any source is logged or printed (LEAK-01)', async () => {
    const printed = ['log', 'info', 'warn', 'error', 'groupCollapsed'].map((name) =>
      vi.spyOn(console, name as 'log').mockImplementation(() => {}),
    )
    const { service, ask } = mount({ serviceVersion: '1.10' })
    const canary = 'caca0000-0000-4000-8000-00000000cafe'
    await ask('PUT', '/acl/token', { body: { SecretID: canary } })
    await ask('PUT', '/acl/token', { body: { SecretID: canary } })
    await ask('GET', '/acl/token/self', { token: canary })
    await ask('GET', `/acl/token/self?token=${canary}`, { token: '' })
    await ask('GET', '/acl/token/self', { token: '', headers: { Authorization: `Bearer ${canary}` } })
    await ask('GET', `/acl/info/${canary}`)
    await ask('PUT', `/acl/destroy/${canary}`)
    await ask('GET', `/nowhere?token=${canary}`)
    expect(service.calls).toHaveLength(8)
    expect(JSON.stringify(service.calls)).not.toContain('caca')
    expect(JSON.stringify(printed.map((spy) => spy.mock.calls))).not.toContain('caca')
    vi.restoreAllMocks()
  })
})

describe('requests to unknown paths', () => {
  test('an unknown path below the base URL is a 500 and an error in the console, both with method and path', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { ask } = mount()
    const answer = await ask('GET', '/acl/tokenz?token=x')
    expect(answer.status).toBe(500)
    expect(answer.text).toContain('unhandled request: GET /v1/acl/tokenz.')
    expect(printed).toHaveBeenCalledExactlyOnceWith(answer.text)
    vi.restoreAllMocks()
  })

  test('404 endpoint_unknown, like the service, with the option answer', async () => {
    const { ask } = mount({ unknownEndpoints: 'answer' })
    const answer = await ask('GET', '/acl/tokenz')
    expect([answer.status, answer.text]).toEqual([404, 'No such endpoint'])
  })

  test('requests to other addresses pass through', async () => {
    const { service } = mount({ baseUrl: 'https://latchkey.test/gateway' })
    const { status } = await call(service, 'GET', '/acl/tokens')
    expect(status).toBe(200)
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await expect(fetch('https://latchkey.test/gatewayed/v1/acl/tokens')).rejects.toThrow()
    await expect(fetch('https://other.test/gateway/v1/acl/tokens')).rejects.toThrow()
    expect(service.calls).toHaveLength(1)
    vi.restoreAllMocks()
  })
})

describe('options', () => {
  test('aclMode: legacy refuses the new APIs and names what it waits for (spec 7, 9.2.1)', async () => {
    const refused = await mount({ aclMode: 'legacy' }).ask('GET', '/acl/tokens')
    expect([refused.status, refused.text]).toEqual([
      403,
      'The ACL system is currently in legacy mode. It waits for the option aclMode of the mock service to be "enabled".',
    ])
  })

  test('headerPrefixes: only the named families count', async () => {
    const { ask, service } = mount({ headerPrefixes: ['X-Latchkey-'] })
    const asked = (name: string) =>
      ask('GET', '/acl/token/self', { token: '', headers: { [name]: service.managementToken } })
    expect((await asked('X-Latchkey-Token')).status).toBe(200)
    expect((await asked('X-Service-Token')).status).toBe(403)
  })

  test('invalid options are refused when the service is created', () => {
    expect(() => createMockService({ baseUrl: 'latchkey' })).toThrow(/baseUrl/)
    expect(() => createMockService({ baseUrl: 'https://a.test?b' })).toThrow(/query/)
    expect(() => createMockService({ clock: 'yesterday' })).toThrow(/clock/)
    expect(() => createMockService({ serviceVersion: '2.0' })).toThrow(/serviceVersion/)
  })
})

test('an option that is undefined counts as absent, with exactOptionalPropertyTypes too', async () => {
  const seed = { namespaces: undefined, policies: undefined, tokens: undefined, kv: undefined }
  const { service } = mount({
    seed,
    serviceVersion: undefined,
    managementToken: undefined,
    latency: undefined,
  })
  expect(service.managementToken).not.toBe('')
  expect(service.identityProvider.issue({ sub: undefined, claims: undefined })).toMatch(/./)
})

describe('fetch', () => {
  const direct = (service: MockService, path: string, init: RequestInit = {}) =>
    service.fetch(`${service.baseUrl}/v1${path}`, {
      ...init,
      headers: { 'X-Service-Token': service.managementToken },
    })

  test('rejects with the reason of its signal', async () => {
    const service = createMockService()
    const gone = new AbortController()
    const waiting = direct(service, '/acl/tokens?index=1000', { signal: gone.signal })
    await service.untilWaiting()
    gone.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  test('a request to another address is a TypeError', async () => {
    const service = createMockService()
    await expect(service.fetch('https://other.test/v1/acl/tokens')).rejects.toThrow(/base URL/)
  })
})

describe('other datacenters', () => {
  test('dc reaches another mock service and back; a local token does not go along', async () => {
    const datacenters: Record<string, MockService> = {}
    const here = createMockService({ clock: START, datacenters, baseUrl: 'https://one.test' })
    const there = createMockService({
      clock: START,
      datacenters,
      baseUrl: 'https://two.test',
      datacenter: 'dc2',
    })
    Object.assign(datacenters, { dc1: here, dc2: there })
    server.use(...here.handlers, ...there.handlers)
    expect((await call(here, 'GET', '/catalog/datacenters')).json).toEqual(['dc1', 'dc2'])
    const body = { Name: 'there' }
    expect((await call(here, 'PUT', '/acl/policy?dc=dc2', { body })).status).toBe(200)
    expect((await call(there, 'GET', '/acl/policy/name/there')).status).toBe(200)
    expect((await call(there, 'GET', '/acl/policy/name/there?dc=dc1')).status).toBe(404)
    const local = { Local: true, Policies: [{ Name: 'global-management' }] }
    const { SecretID } = (await call(here, 'PUT', '/acl/token', { body: local })).json as { SecretID: string }
    expect((await call(here, 'GET', '/acl/policies', { token: SecretID })).status).toBe(200)
    expect((await call(here, 'GET', '/acl/policies?dc=dc2', { token: SecretID })).status).toBe(403)
    there.failNext('policies.list', 'network')
    expect((await call(here, 'GET', '/acl/policies?dc=dc2')).status).toBe(503)
  })

  test('a secondary leaves global writes to its primary, and makes local ones itself', async () => {
    const primary = createMockService({ clock: START, baseUrl: 'https://one.test' })
    const secondary = createMockService({
      clock: START,
      baseUrl: 'https://two.test',
      datacenter: 'dc2',
      primaryDatacenter: 'dc1',
      datacenters: { dc1: primary },
    })
    server.use(...primary.handlers, ...secondary.handlers)
    const policy = await call(secondary, 'PUT', '/acl/policy', { body: { Name: 'everywhere' } })
    expect([policy.status, policy.headers.get('x-service-replication-lag')]).toEqual([200, null])
    expect((await call(secondary, 'GET', '/acl/policy/name/everywhere')).status).toBe(200)
    expect((await call(primary, 'GET', '/acl/policy/name/everywhere')).status).toBe(200)

    const body = { Local: true, Policies: [{ Name: 'global-management' }] }
    const local = (await call(secondary, 'PUT', '/acl/token', { body })).json as {
      AccessorID: string
      SecretID: string
    }
    const path = `/acl/token/${local.AccessorID}`
    expect((await call(primary, 'GET', path)).status).toBe(404)
    expect(
      (await call(secondary, 'PUT', '/acl/policy', { token: local.SecretID, body: { Name: 'p' } })).text,
    ).toMatch(/; the local token of dc2 is not valid in dc1$/)
    expect((await call(secondary, 'DELETE', path)).json).toBe(true)

    primary.failNext('policies.create', 'network')
    expect((await call(secondary, 'PUT', '/acl/policy', { body: { Name: 'later' } })).status).toBe(503)
    primary.failNext('policies.create', 'lost')
    expect((await call(secondary, 'PUT', '/acl/policy', { body: { Name: 'later' } })).status).toBe(504)
    expect((await call(primary, 'GET', '/acl/policy/name/later')).status).toBe(200)
    primary.failNext('policies.list', 'lost')
    expect((await call(secondary, 'GET', '/acl/policies?dc=dc1')).status).toBe(503)
  })
})
