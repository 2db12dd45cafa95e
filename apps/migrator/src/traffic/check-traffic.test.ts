import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { InputError } from '../errors.ts'
import { version } from '../version.ts'
import { checkTraffic, findTraffic, TrafficCheck } from './check-traffic.ts'

const SECRET = 'canary-91c0'

async function check(lines: readonly string[] | Uint8Array, to: string, chunkBytes = 1_000_000) {
  const bytes = lines instanceof Uint8Array ? lines : Buffer.from(lines.join('\n'))
  const traffic = new TrafficCheck(version(to))
  async function* chunks() {
    for (let i = 0; i < bytes.length; i += chunkBytes) yield bytes.subarray(i, i + chunkBytes)
  }
  await checkTraffic({ name: 'access.log', chunks: chunks() }, traffic)
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
    { id: 'traffic-unread', severity: 'critical', count: 2 },
  ])
  expect(findTraffic({ ...rest, calls, unread: 0 })).toEqual([])
})

test('a plan learns that the log holds no call at all', async () => {
  expect(findTraffic(await check(['{"level":"info","msg":"started"}'], '1.11'))).toMatchObject([
    { id: 'traffic-empty', severity: 'critical' },
  ])
})

test('a log compressed with gzip is read; one that is cut off is an error', async () => {
  const packed = gzipSync(Array(1_000).fill(common('PUT /v1/acl/create')).join('\n'))
  expect(await check(packed, '1.11', 7)).toMatchObject({ calls: 1_000, unread: 0 })
  await expect(check(packed.subarray(0, -20), '1.11')).rejects.toThrow(InputError)
})

test('LEAK-01: a line that could not be read is shown by its number and shape', async () => {
  const { unreadSamples } = await check(
    [common('GET /'), '', `{"op":"${SECRET}","u":"/v1/acl/${SECRET}"`],
    '1.11',
  )
  expect(unreadSamples).toEqual([{ line: 3, shape: '{"op":"xxxxxx-99x9","u":"/v1/acl/xxxxxx-99x9"' }])
})

test('calls with different methods, clients and user agents take bounded memory', async () => {
  const lines = Array.from({ length: 100 }, (_, i) => {
    const letters = String.fromCharCode(65 + (i % 26), 65 + Math.floor(i / 26))
    return common(`X${letters} /v1/acl/create`)
  })
  expect((await check(lines, '1.11')).broken).toMatchObject([{ call: 'OTHER /v1/acl/create', count: 100 }])
})

test('an API below a path of the proxy is recognized, and a key that looks like one is not (spec 9.1)', async () => {
  const { broken } = await check(
    [
      common('PUT /consul/v1/acl/create'),
      common('PUT //v1/acl/%63reate'),
      common('GET /v1/kv/backup/v1/acl/list'),
    ],
    '1.11',
  )
  expect(broken).toMatchObject([{ call: 'PUT /v1/acl/create', count: 2 }])
})
