import { createServer } from 'node:http'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { afterEach, describe, expect, test } from 'vitest'
import { aScenario, threeServers } from '../../test/scenario.ts'
import { HttpReader } from '../scan/http-reader.ts'
import { alarmsOf } from './alarms.ts'
import { formatLive, formatProgress } from './live-text.ts'
import type { Observation } from './observe.ts'
import { predict } from './prediction.ts'
import { ServiceApi } from './service-api.ts'
import { Watch, type WatchLine, type WatchOptions } from './watch.ts'
import { wayBackNow } from './way-back-now.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>

/** A service like the reference, whose answers advance with every read of its members. */
async function serve(states: readonly Answers[]): Promise<string> {
  let looks = -1
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/v1/agent/members') looks += 1
    const [status, body] = states[Math.min(Math.max(looks, 0), states.length - 1)]?.[path] ?? [404, '']
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const port = await listenOnFreePort(server)
  closers.push(() => server.close())
  return `http://127.0.0.1:${port}`
}

function member(Name: string, build: string, acls?: string, more: object = {}) {
  return {
    Name,
    Status: 1,
    Tags: { role: 'consul', build, ...(acls === undefined ? {} : { acls }) },
    ...more,
  }
}

const tokens = (...accessors: readonly string[]) => accessors.map((AccessorID) => ({ AccessorID }))
/** One entry for each attempt of the reader before it gives up. */
const TRIES = [1, 2, 3]
const LEGACY_MODE = [500, 'The ACL system is currently in legacy mode.'] as const

const DAY: readonly Answers[] = [
  {
    '/v1/agent/members': [200, [member('s1', '1.8.7:abc', '2'), member('s2', '1.3.1:abc')]],
    '/v1/acl/tokens': LEGACY_MODE,
    '/v1/acl/list': [200, [{ ID: 'a' }, { ID: 'b' }, { ID: 'c' }]],
  },
  {
    '/v1/agent/members': [200, [member('s1', '1.8.7', '1'), member('s2', '1.8.7', '1')]],
    '/v1/acl/tokens': [200, tokens('', '', 'x')],
  },
  {
    '/v1/agent/members': [200, [member('s1', '1.8.7', '1'), member('s2', '1.8.7', '1')]],
    '/v1/acl/tokens': [200, tokens('y', 'z', 'x')],
  },
]

/** Reads without waiting between attempts. */
function apiOf(url: string, signal: AbortSignal): ServiceApi {
  const tls = {
    ca: undefined,
    cert: undefined,
    key: undefined,
    servername: undefined,
    rejectUnauthorized: true,
  }
  const connection = {
    address: new URL(url),
    socketPath: undefined,
    token: 'secret',
    namespace: undefined,
    timeoutMs: 10_000,
    tls,
  }
  return new ServiceApi(new HttpReader(connection, signal, 0))
}

function watchOf(url: string, options: Partial<WatchOptions> = {}): Watch {
  const signal = new AbortController().signal
  return new Watch({
    apis: [apiOf(url, options.signal ?? signal)],
    startedAt: Date.now(),
    prediction: undefined,
    bounds: undefined,
    time: (ms) => `${ms} ms`,
    intervalMs: 1,
    signal,
    ...options,
  })
}

async function allOf(watch: Watch): Promise<WatchLine[]> {
  const lines: WatchLine[] = []
  for await (const line of watch.lines()) lines.push(line)
  return lines
}

describe('a service of any version', () => {
  test('rules count as rights only without a link or an identity, which hide them', async () => {
    const links = { Policies: [{}], Roles: [{}], ServiceIdentities: [{}], NodeIdentities: [{}] }
    const list = [{}, ...Object.entries(links).map(([name, link]) => ({ [name]: link }))]
    const url = await serve([
      { '/v1/acl/tokens': [200, list.map((each, i) => ({ AccessorID: `${i}`, Legacy: true, ...each }))] },
    ])
    expect(await apiOf(url, new AbortController().signal).tokens()).toEqual({
      total: 5,
      withoutAccessor: 0,
      legacyRights: 1,
    })
  })

  test.each([
    ['shows types', 200, 1],
    ['is refused or gone, so that none is found', 403, 0],
    ['is refused or gone, so that none is found', 410, 0],
  ])('tokens with rights from their type alone: the legacy list %s (%i)', async (_, status, managers) => {
    const token = (AccessorID: string, Description: string) => ({ AccessorID, Description, CreateIndex: 7 })
    const tokens = [
      token('1', 'upgraded'),
      token('2', 'client'),
      { ...token('3', 'migrated'), Policies: [{}] },
    ]
    const legacy = (Name: string, Type: string) => ({ ID: Name, Name, Type, Rules: '', CreateIndex: 7 })
    const types = [
      legacy('upgraded', 'management'),
      legacy('client', 'client'),
      legacy('migrated', 'management'),
    ]
    const url = await serve([{ '/v1/acl/tokens': [200, tokens], '/v1/acl/list': [status, types] }])
    expect(await apiOf(url, new AbortController().signal).managersByType()).toBe(managers)
  })

  test('is counted through its own API, from legacy mode to the last accessor', async () => {
    const lines = await allOf(watchOf(await serve(DAY)))
    expect(lines.map(({ state, done, total }) => [state, done, total])).toEqual([
      ['waiting', 0, 3],
      ['running', 1, 3],
      ['done', 3, 3],
    ])
    expect(lines[0]?.servers.map(({ name, version, mode }) => [name, version, mode])).toEqual([
      ['s1', '1.8.7', 'legacy'],
      ['s2', '1.3.1', 'old'],
    ])
    expect(lines[0]?.waitsFor).toHaveLength(2)
  })

  test('what a server says of itself comes before what the others heard (stale gossip)', async () => {
    const stale = member('s1', '1.8.7', '2')
    const self = { Member: stale, Stats: { consul: { acl: 'enabled' } } }
    const [line] = await allOf(
      watchOf(
        await serve([
          {
            '/v1/agent/members': [200, [stale]],
            '/v1/agent/self': [200, self],
            '/v1/acl/tokens': [200, tokens('x')],
          },
        ]),
      ),
    )
    expect(line).toMatchObject({ state: 'done', servers: [{ name: 's1', mode: 'new' }] })
  })

  test('client agents are no servers, and a dead process is not shown beside its successor', async () => {
    const members = [
      member('web', '1.3.1', undefined, { Tags: { role: 'node', build: '1.3.1' } }),
      member('s1', '1.3.1', undefined, { Status: 4 }),
      member('s1', '1.8.7', '1'),
    ]
    const [line] = await allOf(
      watchOf(await serve([{ '/v1/agent/members': [200, members], '/v1/acl/tokens': [200, []] }])),
    )
    expect(line?.servers).toEqual([{ name: 's1', version: '1.8.7', mode: 'new', status: 'alive' }])
  })

  test('a token that may not list tokens is a clear error, without its secret', async () => {
    const url = await serve([
      {
        '/v1/agent/members': [200, []],
        '/v1/acl/tokens': [403, 'Permission denied'],
        '/v1/acl/list': [403, ''],
      },
    ])
    await expect(allOf(watchOf(url))).rejects.toThrow(/^403: the token may not list tokens/)
  })

  test('servers that are replaced are waited for, but the first look must succeed', async () => {
    const url = await serve([
      DAY[0] ?? {},
      ...TRIES.map(() => ({ '/v1/agent/members': [503, ''] as const })),
      DAY[2] ?? {},
    ])
    const states = (await allOf(watchOf(url))).map(({ state }) => state)
    expect(states).toEqual(['waiting', 'silent', 'done'])
    await expect(allOf(watchOf('http://127.0.0.1:1'))).rejects.toThrow('it does not answer')
  })
})

test('an interruption ends it with the reason', async () => {
  const interrupted = new AbortController()
  const lines = watchOf(await serve(DAY), { intervalMs: 60_000, signal: interrupted.signal }).lines()
  await lines.next()
  const next = lines.next()
  interrupted.abort(new Error('interrupted'))
  await expect(next).rejects.toThrow('interrupted')
})

describe('alarms', () => {
  const observation: Observation = {
    at: 0,
    servers: [{ name: 's2', version: '1.3.1', mode: 'old', status: 'alive' }],
    state: 'waiting',
    withoutAccessor: 3,
    done: undefined,
    batches: undefined,
    waitsFor: ['s2 (1.3.1, before 1.4.0) to leave legacy mode'],
  }
  const bounds = { newModeMs: 100, accessorsMs: 200, source: 'test' }
  const kindsAt = (elapsedMs: number, seen = observation) =>
    alarmsOf(seen, bounds, { elapsedMs, time: String }).map(({ kind }) => kind)

  test.each([
    [100, []],
    [101, ['legacy-mode-late']],
    [200, ['legacy-mode-late']],
    [201, ['legacy-mode-late', 'accessors-late']],
  ])('at %i ms of bounds at 100 and 200 ms: %j', (elapsedMs, kinds) => {
    expect(kindsAt(elapsedMs)).toEqual(kinds)
  })

  test('a secondary in new mode waits for accessors, not for the end of legacy mode (spec 9.2.3)', () => {
    const servers = [{ name: 's2', version: '1.8.7', mode: 'new', status: 'alive' }] as const
    expect(kindsAt(201, { ...observation, servers, waitsFor: [] })).toEqual(['accessors-late'])
  })

  test('there is none after the end, and one names what is waited for', () => {
    const over: Observation = { ...observation, state: 'done', withoutAccessor: 0, servers: [] }
    expect(kindsAt(10_000, over)).toEqual([])
    expect(alarmsOf(observation, bounds, { elapsedMs: 101, time: String })[0]?.text).toContain('s2 (1.3.1')
  })
})

describe('the way back now', () => {
  const { waysBack } = predict(aScenario({ datacenters: threeServers(0, 10, 20), legacyTokens: 300 }))
  const now = (modes: readonly ('old' | 'legacy' | 'new')[], hasAccessors = false) =>
    wayBackNow(
      modes.map((mode) => ({ mode, status: 'alive' })),
      { hasAccessors, ways: waysBack },
    )

  test('is open until the first server is in new mode, whatever the prediction says (spec 9.2.5)', () => {
    expect(now(['legacy', 'old'])).toMatchObject({ isOpen: true, lost: [] })
    expect(now(['legacy', 'new'])).toMatchObject({ isOpen: false })
    expect(now(['new', 'new'], true)?.lost[0]).toContain('300 accessors')
    expect(now([])).toBeUndefined()
  })
})

test('the live view has predicted and measured tokens on one axis, servers, way back and alarms', async () => {
  const prediction = predict(aScenario({ datacenters: threeServers(0, 10, 20), legacyTokens: 3 }))
  const bounds = { newModeMs: -1, accessorsMs: undefined, source: 'test' }
  const watch = watchOf(await serve(DAY), { prediction, bounds })
  const { value: line } = await watch.lines().next()
  const text = formatLive(line, {
    prediction,
    measured: watch.chart(),
    time: (ms) => `${ms} ms`,
    paint: (_, each) => each,
  })
  expect(text.map((each) => each.split(' ')[0])).toEqual([
    '[',
    'predicted',
    'measured',
    'servers',
    'waits',
    'way',
    'ALARM',
  ])
  expect(text[0]).toBe('[                              ] 0 of 3 tokens, waiting for legacy mode to end')
  const servers = [{ name: 's1', version: '1.8.7', mode: 'new', status: 'alive' }] as const
  expect(formatProgress({ ...line, servers })).toContain('waiting for accessors from the primary datacenter')
})
