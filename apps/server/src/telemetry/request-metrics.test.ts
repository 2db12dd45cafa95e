import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { AggregatorRegistry, Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { RequestMetrics, SECONDS_BUCKETS } from './request-metrics.ts'

/** The metrics as prom-client itself would count them. */
function reference(registry: Registry): Pick<RequestMetrics, 'add'> {
  const requests = new Counter({
    name: 'latchkey_http_requests_total',
    help: 'Answered requests by endpoint and status.',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'latchkey_http_request_seconds',
    help: 'Seconds from a request to its answer; waits of blocking queries included.',
    labelNames: ['endpoint'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  })
  return {
    add(endpoint, status, took) {
      requests.inc({ endpoint, status })
      seconds.observe({ endpoint }, took)
    },
  }
}

const linesOf = (text: string) => text.split('\n').sort()

test('shows what prom-client would have counted: alone, as JSON, and merged with another worker', async () => {
  const random = new SeededRandom(chooseSeed('request metrics'))
  const [ours, theirs] = [new Registry(), new Registry()]
  const both = [new RequestMetrics(ours), reference(theirs)]
  for (let i = 0; i < 2_000; i += 1) {
    const endpoint = random.pick(['tokens.read', 'tokens.list', 'kv.get'])
    const status = random.pick([200, 403, 404])
    const seconds = random.pick([...SECONDS_BUCKETS, 0, 11, 1_000, random.below(1_000) / 1_000])
    for (const metrics of both) metrics.add(endpoint, status, seconds)
    if (i % 500 === 0) expect(linesOf(await ours.metrics())).toEqual(linesOf(await theirs.metrics()))
  }
  expect(linesOf(await ours.metrics())).toEqual(linesOf(await theirs.metrics()))
  const merged = async (registry: Registry) => {
    const json = await registry.getMetricsAsJSON()
    return linesOf(await AggregatorRegistry.aggregate([json, json]).metrics())
  }
  expect(await merged(ours)).toEqual(await merged(theirs))
})
