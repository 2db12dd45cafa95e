import { describe, expect, test } from 'vitest'
import { version } from '../version.ts'
import { readLogLine } from './access-log.ts'
import { checkTraffic, findTraffic, TrafficCheck } from './check-traffic.ts'

const SECRET = 'canary-91c0'

async function check(lines: readonly string[], to: string, chunkBytes = 1_000_000) {
  const bytes = Buffer.from(lines.join('\n'))
  const traffic = new TrafficCheck(version(to))
  async function* chunks() {
    for (let i = 0; i < bytes.length; i += chunkBytes) yield bytes.subarray(i, i + chunkBytes)
  }
  await checkTraffic(chunks(), traffic)
  return traffic.result()
}

const json = (method: string, path: string, rest: object = {}) =>
  JSON.stringify({
    ...{ level: 'info', time: '2026-11-21T03:00:00.000Z', address: '10.0.0.7' },
    method,
    path,
    status: 200,
    ...rest,
  })
const common = (request: string, status = 200) =>
  `10.0.0.8 - - [21/Nov/2026:04:00:00 +0000] "${request} HTTP/1.1" ${status} 12 "-" "app/1.0"`

test('legacy endpoints break at 1.11, whatever the form of the log, each with its replacement (spec 9.1)', async () => {
  const { calls, broken } = await check(
    [
      json('PUT', '/v1/acl/create', { accessor: 'acc-1' }),
      json('PUT', '/v1/acl/create', { accessor: 'acc-1', time: '2026-11-21T05:00:00.000Z' }),
      common('PUT /v1/acl/create?token=x'),
      common('GET /v1/acl/tokens'),
    ],
    '1.11',
  )
  expect(calls).toBe(4)
  expect(broken).toEqual([
    expect.objectContaining({
      gate: 'api.legacy',
      breaks: true,
      call: 'PUT /v1/acl/create',
      replacement: 'PUT /v1/acl/token',
      count: 3,
      clients: 2,
      firstSeen: '2026-11-21T03:00:00.000Z',
      lastSeen: '2026-11-21T05:00:00.000Z',
    }),
  ])
  expect(broken[0]?.topClients[0]).toEqual({ client: 'acc-1', count: 2, userAgent: null })
})

test('wrong methods break at 1.0 (spec 9.4)', async () => {
  const { broken } = await check(
    [common('GET /v1/agent/service/deregister/web'), common('PUT /v1/catalog/nodes')],
    '1.0',
  )
  expect(broken.map(({ call, replacement }) => [call, replacement])).toEqual([
    ['GET /v1/agent/service/deregister/:id', 'PUT /v1/agent/service/deregister/:id'],
    ['PUT /v1/catalog/nodes', 'GET /v1/catalog/nodes'],
  ])
})

test('calls that work but answer differently are distinguished from those that break', async () => {
  const { broken } = await check(
    [common('GET /v1/kv/app/key', 404), common('GET /v1/session/info/abc')],
    '1.7.0',
  )
  expect(broken.map(({ gate, breaks }) => [gate, breaks])).toEqual([
    ['session.incompatibleQueries', true],
    ['kv.forbidden403', false],
  ])
})

test('LEAK-01: a secret in a legacy path or in a query is not shown', async () => {
  const result = await check([common(`GET /v1/acl/info/${SECRET}?token=${SECRET}`)], '1.11')
  expect(result.broken[0]?.call).toBe('GET /v1/acl/info/:id')
  expect(JSON.stringify(result)).not.toContain(SECRET)
})

test('lines split across chunks are joined; other lines and overlong ones are skipped', async () => {
  const lines = [
    json('PUT', '/v1/acl/create'),
    '{"level":"info","msg":"started"}',
    'x'.repeat(1_200_000),
    json('PUT', '/v1/acl/create'),
  ]
  for (const chunkBytes of [13, 65_536]) {
    const { calls, skipped, unread, broken } = await check(lines, '1.11', chunkBytes)
    expect([calls, skipped, unread, broken[0]?.count]).toEqual([2, 1, 1, 2])
  }
})

test('a line may have 1,048,576 bytes, however many characters they are, and no more', async () => {
  const call = (note: string) => json('PUT', '/v1/acl/create', { note })
  const room = 1_048_576 - call('').length
  const padded = (bytes: number) => call(`${'a'.repeat(bytes % 2)}${'\u00E9'.repeat(Math.floor(bytes / 2))}`)
  for (const chunkBytes of [1_000, 65_536]) {
    expect(await check([padded(room)], '1.11', chunkBytes)).toMatchObject({ calls: 1, unread: 0 })
    expect(await check([padded(room + 1)], '1.11', chunkBytes)).toMatchObject({ calls: 0, unread: 1 })
  }
})

describe('reading a line', () => {
  test('common format without a browser, and a time with a zone', () => {
    expect(
      readLogLine('1.2.3.4 - bob [10/Oct/2020:13:55:36 -0700] "GET /v1/kv/a?raw HTTP/1.0" 200 5'),
    ).toEqual({
      method: 'GET',
      path: '/v1/kv/a',
      options: new Set(['raw']),
      status: 200,
      atMs: Date.parse('2020-10-10T20:55:36Z'),
      client: '1.2.3.4',
      userAgent: undefined,
    })
  })

  test.each(['hello', '{"a":1}', '{', '[]', '"text"'])('not read: %s', (line) => {
    expect(readLogLine(line)).toBe('unread')
  })

  test.each([
    '{"level":"info","msg":"started"}',
    '    2019/08/01 12:00:00 [INFO] serf: EventMemberJoin: node-1 10.0.0.1',
    '2021-08-01T12:00:00.000Z [INFO]  agent.server: New leader elected: payload=node-1',
    'Feb  6 12:14:14 lb haproxy[14389]: Proxy web started.',
  ])('no call: %s', (line) => {
    expect(readLogLine(line)).toBe('other')
  })

  const at = Date.parse('2021-08-01T12:00:00Z')
  const LINES = {
    'the legacy service':
      '    2021/08/01 12:00:00 [DEBUG] http: Request PUT /v1/acl/create?dc=dc1 (1.2ms) from=10.0.0.1:5555',
    'the legacy service, later':
      '2021-08-01T12:00:00.000Z [DEBUG] agent.http: Request finished: method=PUT url=/v1/acl/create?dc=dc1 from=10.0.0.1:5555 latency=1.2ms',
    'the legacy service, a refused call':
      '    2021/08/01 12:00:00 [ERR] http: Request PUT /v1/acl/create?dc=dc1, error: Permission denied from=10.0.0.1:5555',
    'the legacy service, a refused call, later':
      '2021-08-01T12:00:00.000Z [ERROR] agent.http: Request error: method=PUT url=/v1/acl/create?dc=dc1 from=10.0.0.1:5555 error="Permission denied"',
    'the legacy service in JSON':
      '{"@level":"debug","@message":"Request finished","@module":"agent.http","@timestamp":"2021-08-01T12:00:00.000000Z","from":"10.0.0.1:5555","latency":"1ms","method":"PUT","url":"/v1/acl/create?dc=dc1"}',
    'nginx, Apache':
      '10.0.0.1 - - [01/Aug/2021:12:00:00 +0000] "PUT /v1/acl/create?dc=dc1 HTTP/1.1" 200 12 "-" "curl/8" "10.9.9.9"',
    'Apache with its virtual host':
      'acl.example:80 10.0.0.1 - - [01/Aug/2021:12:00:00 +0000] "PUT /v1/acl/create?dc=dc1 HTTP/1.1" 200 12 "-" "curl/8"',
    'nginx in JSON':
      '{"time_iso8601":"2021-08-01T12:00:00+00:00","remote_addr":"10.0.0.1","request":"PUT /v1/acl/create?dc=dc1 HTTP/1.1","status":"200","http_user_agent":"curl/8"}',
    HAProxy:
      'Aug  1 12:00:00 lb haproxy[143]: 10.0.0.1:33317 [01/Aug/2021:12:00:00.000] http-in acl/s1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {acl.example} {} "PUT /v1/acl/create?dc=dc1 HTTP/1.1"',
    'HAProxy in JSON':
      '{"time":"2021-08-01T12:00:00Z","client_ip":"10.0.0.1","status_code":200,"http_method":"PUT","http_uri":"/v1/acl/create?dc=dc1"}',
    Envoy:
      '[2021-08-01T12:00:00.000Z] "PUT /v1/acl/create?dc=dc1 HTTP/1.1" 200 - 154 0 226 100 "10.0.0.1" "curl/8" "cc21d9b0" "acl" "tcp://10.0.2.1:80"',
    'Envoy in JSON':
      '{"start_time":"2021-08-01T12:00:00.000Z","method":"PUT","path":"/v1/acl/create?dc=dc1","response_code":200,"downstream_remote_address":"10.0.0.1:9999","user_agent":"curl/8"}',
    Caddy:
      '{"level":"info","ts":1627819200,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.0.0.1","remote_port":"41342","method":"PUT","host":"acl","uri":"/v1/acl/create?dc=dc1","headers":{"User-Agent":["curl/8"]}},"status":200}',
  }
  test.each(Object.entries(LINES))('%s', (_, line) => {
    const call = readLogLine(line)
    expect(call).toMatchObject({ method: 'PUT', path: '/v1/acl/create', client: '10.0.0.1', atMs: at })
    if (typeof call === 'object') expect([...call.options]).toEqual(['dc'])
  })

  test('another form, by a pattern', () => {
    const pattern = /^(?<client>\S+) did (?<method>\w+) on (?<path>\S+)/
    expect(readLogLine('bob did put on /v1/acl/create?token=x now', pattern)).toMatchObject({
      method: 'PUT',
      path: '/v1/acl/create',
      client: 'bob',
    })
  })
})

test('what is so at the current version already is no change', async () => {
  const traffic = new TrafficCheck(version('1.11'), { from: version('1.3.1') })
  for (const line of [common('GET /v1/agent/service/deregister/web'), common('PUT /v1/acl/create')])
    traffic.addLine(line)
  expect(traffic.result().broken.map(({ call }) => call)).toEqual(['PUT /v1/acl/create'])
})

test('a plan learns that the log could not be read', async () => {
  const { calls, unread, ...rest } = await check([common('GET /v1/acl/tokens'), '?', '?'], '1.11')
  expect([calls, unread]).toEqual([1, 2])
  expect(findTraffic({ calls, unread, ...rest })).toMatchObject([
    { id: 'traffic-unread', severity: 'warning', count: 2 },
  ])
  expect(findTraffic({ calls, ...rest, unread: 0 })).toEqual([])
})

test('a plan learns that the log holds no call at all', async () => {
  expect(findTraffic(await check(['{"level":"info","msg":"started"}'], '1.11'))).toMatchObject([
    { id: 'traffic-empty', severity: 'warning' },
  ])
})
