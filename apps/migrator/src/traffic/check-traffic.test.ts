import { describe, expect, test } from 'vitest'
import { version } from '../version.ts'
import { readLogLine } from './access-log.ts'
import { checkTraffic, TrafficCheck } from './check-traffic.ts'

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
    level: 'info',
    time: '2026-11-21T03:00:00.000Z',
    method,
    path,
    status: 200,
    address: '10.0.0.7',
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

test('the same calls are fine at 1.10', async () => {
  expect((await check([json('PUT', '/v1/acl/create')], '1.10')).broken).toEqual([])
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

test('lines that are cut by chunks are put together, other lines and endless ones are passed over', async () => {
  const lines = [
    json('PUT', '/v1/acl/create'),
    '{"level":"info","msg":"started"}',
    'x'.repeat(1_200_000),
    json('PUT', '/v1/acl/create'),
  ]
  for (const chunkBytes of [13, 65_536]) {
    const { calls, skipped, broken } = await check(lines, '1.11', chunkBytes)
    expect({ calls, skipped, count: broken[0]?.count }).toEqual({ calls: 2, skipped: 2, count: 2 })
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

  test.each(['', 'hello', '{"a":1}', '{', '[]', '"text"'])('no access: %s', (line) => {
    expect(readLogLine(line)).toBeUndefined()
  })
})
