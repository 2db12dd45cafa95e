import { expect, test } from 'vitest'
import { resultOf, threeServers } from '../../test/scenario.ts'

test('calls are counted one by one: 2 a second through 25.55 s of legacy mode are 52 (spec 9.2.1)', () => {
  const { clients } = resultOf({
    datacenters: threeServers(0, 10, 20),
    workloads: [{ kind: 'new', server: 's1', rate: 2 }],
  })
  // Calls at 0, 0.5 … 25.5 s.
  expect(clients['legacy-mode']).toMatchObject({ first: 0, last: 25.5, count: 52, status: 500 })
})

test('calls rotate over the servers', () => {
  const { clients } = resultOf({
    datacenters: threeServers(0, 10, 20),
    duration: 9,
    workloads: [{ name: 'app', kind: 'new', rate: 3 }],
  })
  // Nine calls to each in nine seconds: s1 is in legacy mode, s2 and s3 run 1.3.1.
  expect(clients['legacy-mode']?.count).toBe(9)
  expect(clients['endpoint-unknown']).toMatchObject({ count: 18, workloads: { app: 18 } })
})

test('a workload of mixed calls makes legacy and new ones in turn', () => {
  const { clients } = resultOf({
    datacenters: threeServers(0, 10, 20),
    duration: 10,
    workloads: [{ kind: 'mixed', server: 's1', rate: 2 }],
  })
  expect(clients['legacy-mode']?.count).toBe(10)
})

test('every agent calls every server', () => {
  const { clients } = resultOf({
    datacenters: [{ name: 'dc1', servers: [{ id: 's1' }, { id: 's2' }] }],
    from: '1.8.7',
    version: '1.8.7',
    duration: 8,
    workloads: [{ kind: 'new', agents: ['1.3.1', '1.8.7'], rate: 1, from: 4 }],
  })
  // Two of four calls go through the old agent, one to each server.
  expect(clients['endpoint-unknown']?.count).toBe(2)
})

test('a workload makes no call at or after its end', () => {
  const { clients } = resultOf({
    datacenters: threeServers(0, 10, 20),
    workloads: [{ kind: 'new', server: 's1', rate: 1, from: 5, to: 8 }],
  })
  expect(clients['legacy-mode']).toMatchObject({ first: 5, last: 7, count: 3 })
})

test('a server that is down is unreachable; a paused one does not answer', () => {
  const { clients } = resultOf({
    duration: 60,
    events: [
      { kind: 'pause', at: 10, server: 's1', for: 5 },
      { kind: 'crash', at: 30, server: 's1' },
      { kind: 'start', at: 40, server: 's1' },
    ],
    workloads: [{ kind: 'legacy', rate: 1 }],
  })
  expect(clients.timeout).toMatchObject({ first: 10, last: 14, count: 5 })
  expect(clients.unreachable).toMatchObject({ first: 30, last: 39, count: 10, status: null })
})

test('a watcher sees its index decrease once when a server is replaced (spec 9.3, 1.0.7)', () => {
  const { clients } = resultOf({
    from: '1.0.6',
    version: '1.0.7',
    duration: 60,
    datacenters: [{ name: 'dc1', servers: [{ id: 's1', start: 20.5 }] }],
    workloads: [{ kind: 'service-watch', rate: 1 }],
  })
  expect(clients['index-decreased']).toMatchObject({ first: 21, last: 21, count: 1, isError: false })
})

test('a watcher that alternates between an old and a new server sees a decrease at every switch', () => {
  const { clients } = resultOf({
    from: '1.0.6',
    version: '1.0.7',
    duration: 40,
    datacenters: [
      {
        name: 'dc1',
        servers: [
          { id: 's1', start: 20 },
          { id: 's2', start: 30 },
        ],
      },
    ],
    workloads: [{ kind: 'service-watch', rate: 1 }],
  })
  // From 20 to 30 s every call to s1 follows one to s2; at 30 s the last old answer is left behind.
  expect(clients['index-decreased']?.count).toBe(6)
})

test('what findings say about a secondary, its clients meet', () => {
  const clients = (secondary: object, events: readonly object[] = []) =>
    resultOf({
      version: '1.8.7',
      duration: 60,
      datacenters: [
        { name: 'dc1', servers: [{ id: 's1' }] },
        { name: 'dc2', servers: [{ id: 't1' }], ...secondary },
      ],
      workloads: [
        { kind: 'new', datacenter: 'dc2' },
        { kind: 'bootstrap', datacenter: 'dc2' },
      ],
      events: events as never,
    }).clients
  expect(clients({ replicationToken: 'read' })['token-unknown']).toMatchObject({ status: 403, last: 59 })
  const crash = [{ kind: 'crash', at: 30, server: 's1' }]
  expect(clients({ tokenReplication: false }, crash)['primary-unreachable']).toMatchObject({
    first: 30,
    last: 59,
    count: 30,
  })
  expect(clients({}, crash)).not.toHaveProperty('primary-unreachable')
  expect(clients({})['bootstrap-in-secondary']?.text).toBe('ACL support disabled')
})
