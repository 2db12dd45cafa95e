/** The metrics for `/v1/agent/metrics`, in the shape of the reference service. Spec 9.4 leaves it open. */
import {
  type AgentMetrics,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  type GaugeSample,
  type ValueSample,
} from '@latchkey/contract'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { MetricSnapshot } from './metrics.ts'

interface Moment {
  readonly now: number
  readonly startedAt: number
}

/** Counted from the start of the process: for an interval, clients subtract two answers. */
export function showAgentMetrics(metrics: MetricSnapshot, moment: Moment): AgentMetrics {
  const seconds = Math.max(1, (moment.now - moment.startedAt) / 1_000)
  const of = (type: string) => metrics.filter((metric) => typeOf(metric) === type)
  const gauges = of('gauge').flatMap(gaugesOf)
  const counters = of('counter').flatMap((metric) => countersOf(metric, seconds))
  const samples = of('histogram').flatMap((metric) => samplesOf(metric, seconds))
  return {
    Timestamp: `${new Date(moment.now).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`,
    Gauges: [...gauges, ...gauges.flatMap(knownGauges)],
    Points: [],
    Counters: [...counters, ...knownCounters(counters)],
    Samples: [...samples, ...samples.flatMap(knownSamples)],
  }
}

/** Names under which existing dashboards find a gauge. */
const KNOWN_GAUGES: Readonly<Record<string, readonly string[]>> = {
  latchkey_nodejs_heap_size_used_bytes: ['consul.runtime.alloc_bytes'],
  latchkey_process_resident_memory_bytes: ['consul.runtime.sys_bytes'],
  latchkey_store_index: ['consul.raft.applied_index', 'consul.raft.last_index'],
}

function knownGauges(gauge: GaugeSample): GaugeSample[] {
  return (KNOWN_GAUGES[gauge.Name] ?? []).map((Name) => ({ ...gauge, Name }))
}

/** All requests, of any endpoint and status. */
function knownCounters(counters: readonly ValueSample[]): ValueSample[] {
  const ofRequests = counters.filter(({ Name }) => Name === 'latchkey_http_requests_total')
  const [first] = ofRequests
  if (!first) return []
  const sumOf = (key: 'Count' | 'Rate' | 'Sum') => ofRequests.reduce((sum, { [key]: part }) => sum + part, 0)
  const total = { ...first, Count: sumOf('Count'), Rate: sumOf('Rate'), Sum: sumOf('Sum'), Labels: {} }
  return ['consul.client.rpc', 'consul.rpc.request'].map((Name) => ({ ...total, Name }))
}

/** Durations of requests in milliseconds, by method and path as in `consul.http.GET.v1.kv._`. */
function knownSamples(sample: ValueSample): ValueSample[] {
  const endpoint = ENDPOINTS[sample.Labels.endpoint as EndpointName] as Endpoint | undefined
  if (sample.Name !== 'latchkey_http_request_seconds' || !endpoint) return []
  const path = endpoint.path.replace(/:\w+/g, '_').replaceAll('/', '.')
  const inMs = (['Sum', 'Min', 'Max', 'Mean', 'Stddev'] as const).map((key) => [key, sample[key] * 1_000])
  const rate = { Rate: sample.Rate * sample.Mean * 1_000, Labels: {} }
  return [
    { ...sample, Name: `consul.http.${endpoint.method}.v1${path}`, ...Object.fromEntries(inMs), ...rate },
  ]
}

/** A counter of seconds counts no events, and clients read Count as an integer, so it is shown as a gauge. */
function typeOf({ name, type }: MetricObjectWithValues<MetricValue<string>>): string {
  return String(type) === 'counter' && name.endsWith('_seconds_total') ? 'gauge' : String(type)
}

function gaugesOf({ name, values }: MetricObjectWithValues<MetricValue<string>>): GaugeSample[] {
  return values.map(({ value, labels }) => ({ Name: name, Value: value, Labels: textsOf(labels) }))
}

function countersOf(
  { name, values }: MetricObjectWithValues<MetricValue<string>>,
  seconds: number,
): ValueSample[] {
  return values.map(({ value, labels }) => {
    const one = value === 0 ? 0 : 1
    const spread = { Min: one, Max: one, Mean: one, Stddev: 0 }
    return { Name: name, Count: value, Rate: value / seconds, Sum: value, ...spread, Labels: textsOf(labels) }
  })
}

/** A series of a histogram: the number of values per bucket. */
interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly buckets: { readonly upTo: number; readonly countBelow: number }[]
  sum: number
}

/** A histogram keeps buckets, not values: Min, Max and Stddev are only as exact as their bounds. */
function samplesOf(
  { name, values }: MetricObjectWithValues<MetricValue<string>>,
  seconds: number,
): ValueSample[] {
  const series = new Map<string, Series>()
  for (const value of values) {
    const { le, ...labels } = textsOf(value.labels)
    const key = JSON.stringify(labels)
    const known = series.get(key) ?? { labels, buckets: [], sum: 0 }
    series.set(key, known)
    if (le !== undefined)
      known.buckets.push({ upTo: Number(le.replace('+Inf', 'Infinity')), countBelow: value.value })
    else if ('metricName' in value && String(value.metricName).endsWith('_sum')) known.sum = value.value
  }
  return [...series.values()].map((one) => sampleOf(name, one, seconds))
}

function sampleOf(name: string, { labels, buckets, sum }: Series, seconds: number): ValueSample {
  const filled = buckets.flatMap(({ upTo, countBelow }, i) => {
    const from = buckets[i - 1]
    const count = countBelow - (from?.countBelow ?? 0)
    const low = from?.upTo ?? 0
    return count === 0 ? [] : [{ count, low, high: Number.isFinite(upTo) ? upTo : low }]
  })
  const Count = filled.reduce((total, { count }) => total + count, 0)
  const Mean = Count === 0 ? 0 : sum / Count
  const squares = filled.reduce(
    (total, { count, low, high }) => total + count * ((low + high) / 2 - Mean) ** 2,
    0,
  )
  return {
    Name: name,
    Count,
    Rate: Count / seconds,
    Sum: sum,
    Min: filled[0]?.low ?? 0,
    Max: filled.at(-1)?.high ?? 0,
    Mean,
    Stddev: Count === 0 ? 0 : Math.sqrt(squares / Count),
    Labels: labels,
  }
}

function textsOf(labels: Partial<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))
}
