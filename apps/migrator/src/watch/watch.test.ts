import { createServer } from 'node:http'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { afterEach, describe, expect, test } from 'vitest'
import { HttpReader } from '../scan/http-reader.ts'
import { formatLine, type WatchLine, watch } from './watch.ts'

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
function readerOf(url: string, signal: AbortSignal): HttpReader {
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
  return new HttpReader(connection, signal, 0)
}

function watchOf(url: string, { intervalMs = 1, signal = new AbortController().signal } = {}) {
  return watch([readerOf(url, signal)], { intervalMs, signal })
}

async function allOf(watching: AsyncIterable<WatchLine>): Promise<WatchLine[]> {
  const lines: WatchLine[] = []
  for await (const line of watching) lines.push(line)
  return lines
}

describe('a service of any version', () => {
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

  test('a watch that begins in the middle counts the tokens that have an accessor already', async () => {
    const lines = await allOf(watchOf(await serve(DAY.slice(1))))
    expect(lines.map(({ state, done, total }) => [state, done, total])).toEqual([
      ['running', 1, 3],
      ['done', 3, 3],
    ])
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

  test.each([
    ['no server', []],
    ['one server of two', [member('s1', '1.8.7', '1')]],
  ])('a token that sees %s does not end the watch: the service filters its members', async (_, members) => {
    const url = await serve([
      {
        '/v1/agent/members': [200, members],
        '/v1/status/peers': [200, ['10.0.0.1:8300', '10.0.0.2:8300']],
        '/v1/acl/tokens': [200, tokens('x')],
      },
    ])
    const { value } = await watchOf(url).next()
    expect(value).toMatchObject({
      state: 'waiting',
      waitsFor: [expect.stringContaining('this token may not see')],
    })
  })

  test('a token that may not list tokens is a clear error, without its secret', async () => {
    const url = await serve([
      {
        '/v1/agent/members': [200, []],
        '/v1/acl/tokens': [403, 'Permission denied'],
        '/v1/acl/list': [403, ''],
      },
    ])
    await expect(allOf(watchOf(url))).rejects.toThrow('403: the token may not read this')
  })

  test('servers that are replaced are waited for, but the first look must succeed', async () => {
    const url = await serve([
      DAY[0] ?? {},
      ...TRIES.map(() => ({ '/v1/agent/members': [503, ''] as const })),
      DAY[2] ?? {},
    ])
    const states = (await allOf(watchOf(url))).map(({ state }) => state)
    expect(states).toEqual(['waiting', 'silent', 'done'])
    await expect(allOf(watchOf('http://127.0.0.1:1'))).rejects.toThrow('ECONNREFUSED')
  })
})

test('an interruption ends it with the reason', async () => {
  const interrupted = new AbortController()
  const lines = watchOf(await serve(DAY), { intervalMs: 60_000, signal: interrupted.signal })
  await lines.next()
  const next = lines.next()
  interrupted.abort(new Error('interrupted'))
  await expect(next).rejects.toThrow('interrupted')
})

test('a line as text has progress, what is waited for, and the servers', async () => {
  const lines = await allOf(watchOf(await serve(DAY)))
  expect(lines.map(formatLine)).toEqual([
    '0 of 3 tokens have an accessor, waiting for s1 (1.8.7, legacy mode) to leave legacy mode; s2 (1.3.1, before 1.4.0) to leave legacy mode; s1 (1.8.7, legacy mode), s2 (1.3.1, before 1.4.0)',
    expect.stringMatching(
      /^1 of 3 tokens have an accessor, [\d.]+ a second, 1 s left; s1 \(1\.8\.7, new mode\), s2/,
    ),
    expect.stringMatching(/^3 of 3 tokens have an accessor, done; s1/),
  ])
  const servers = [{ name: 's1', version: '1.8.7', mode: 'new', status: 'alive' }] as const
  const [line] = lines
  const secondary = line && formatLine({ ...line, servers, waitsFor: [] })
  expect(secondary).toContain('waiting for accessors from the primary datacenter')
})
