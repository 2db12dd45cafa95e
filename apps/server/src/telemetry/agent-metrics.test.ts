import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { showAgentMetrics } from './agent-metrics.ts'

const MOMENT = { now: Date.UTC(2026, 0, 31, 12, 0, 10, 999), startedAt: Date.UTC(2026, 0, 31, 12, 0, 0, 999) }

test('gauges, counters and histograms, as the reference names and shapes them (spec 9.4)', async () => {
  const registers = [new Registry()]
  const registry = registers[0] as Registry
  new Gauge({ name: 'waiters', help: 'w', registers }).set(3)
  new Counter({ name: 'requests_total', help: 'r', labelNames: ['status'], registers }).inc(
    { status: 200 },
    20,
  )
  new Counter({ name: 'cpu_seconds_total', help: 'c', registers }).inc(0.25)
  const seconds = new Histogram({
    name: 'seconds',
    help: 's',
    labelNames: ['endpoint'],
    buckets: [1, 2, 4],
    registers,
  })
  for (const value of [0.5, 1.5, 1.5, 4.5]) seconds.observe({ endpoint: 'a' }, value)
  expect(showAgentMetrics(await registry.getMetricsAsJSON(), MOMENT)).toEqual({
    Timestamp: '2026-01-31 12:00:10 +0000 UTC',
    Gauges: [
      { Name: 'waiters', Value: 3, Labels: {} },
      { Name: 'cpu_seconds_total', Value: 0.25, Labels: {} },
    ],
    Points: [],
    Counters: [
      {
        Name: 'requests_total',
        Count: 20,
        Rate: 2,
        Sum: 20,
        Min: 1,
        Max: 1,
        Mean: 1,
        Stddev: 0,
        Labels: { status: '200' },
      },
    ],
    Samples: [
      {
        Name: 'seconds',
        Count: 4,
        Rate: 0.4,
        Sum: 8,
        Min: 0,
        Max: 4,
        Mean: 2,
        Stddev: expect.closeTo(Math.sqrt((2.25 + 0.25 + 0.25 + 4) / 4)),
        Labels: { endpoint: 'a' },
      },
    ],
  })
})

test('what existing dashboards look for also has the names that they know', async () => {
  const registers = [new Registry()]
  const registry = registers[0] as Registry
  new Gauge({ name: 'latchkey_nodejs_heap_size_used_bytes', help: 'h', registers }).set(7)
  const labelNames = ['endpoint']
  const requests = new Counter({ name: 'latchkey_http_requests_total', help: 'r', labelNames, registers })
  for (const endpoint of ['kv.read', 'kv.read', 'tokens.self']) requests.inc({ endpoint })
  const seconds = new Histogram({ name: 'latchkey_http_request_seconds', help: 's', labelNames, registers })
  for (const endpoint of ['kv.read', '']) seconds.observe({ endpoint }, 2)
  const { Gauges, Counters, Samples } = showAgentMetrics(await registry.getMetricsAsJSON(), MOMENT)
  expect(Gauges).toContainEqual({ Name: 'consul.runtime.alloc_bytes', Value: 7, Labels: {} })
  const total = { Count: 3, Sum: 3, Labels: {} }
  expect(Counters).toContainEqual(expect.objectContaining({ Name: 'consul.client.rpc', ...total }))
  const known = Samples.filter(({ Name }) => Name.startsWith('consul.'))
  expect(known).toEqual([
    expect.objectContaining({ Name: 'consul.http.GET.v1.kv._', Count: 1, Sum: 2_000, Rate: 200, Labels: {} }),
  ])
})

test('an empty histogram is all zero', async () => {
  const registry = new Registry()
  new Histogram({ name: 'seconds', help: 's', buckets: [1], registers: [registry] })
  const { Samples } = showAgentMetrics(await registry.getMetricsAsJSON(), MOMENT)
  expect(Samples).toEqual([
    { Name: 'seconds', Count: 0, Rate: 0, Sum: 0, Min: 0, Max: 0, Mean: 0, Stddev: 0, Labels: {} },
  ])
})
