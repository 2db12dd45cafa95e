/** Metrics of a worker, and how those of several are merged. Labels are bounded: endpoints, never paths. */
import { PRODUCT_VERSION } from '@latchkey/contract'
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

export interface Metrics {
  readonly registry: Registry
  /** Counts one answered request. `endpoint`: its name, or the name of what answered instead. */
  request(endpoint: string, status: number, seconds: number): void
  connectionRefused(): void
  /** Counts one answered DNS question. */
  dnsAnswer(rcode: string, transport: string): void
  /** Counts one request to another datacenter. `status`: `none` if the client left before the answer. */
  forwarded(datacenter: string, status: number | undefined, seconds: number): void
  /** A value that is read on every scrape. `merge`: how workers' values combine; default: the maximum. */
  gauge(name: string, help: string, read: () => number | Promise<number>, merge?: Merge): void
  /** As {@link gauge}, with a value for each of a few sets of labels. All workers report the same values. */
  gauges<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => Promise<
      readonly { readonly labels: Readonly<Record<Label, string>>; readonly value: number }[]
    >,
  ): void
  /** A gauge of a value that only grows. */
  counter(name: string, help: string, read: () => number): void
}

/** How the values of several workers are combined. */
export type Merge = 'sum' | 'min' | 'max'

/** Gauges of prom-client that are named like counters. Their parts by type remain, with the same sum. */
const MISNAMED_GAUGES = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({
    register: registry,
    prefix: 'latchkey_',
    // event-loop-metrics.ts replaces its recorder, which must not wake the process.
    eventLoopMonitoringPrecision: 3_600_000,
  })
  for (const { name } of registry.getMetricsAsArray()) {
    if (name.startsWith('latchkey_nodejs_eventloop_')) registry.removeSingleMetric(name)
  }
  for (const name of MISNAMED_GAUGES) registry.removeSingleMetric(`latchkey_${name}`)
  const processStart = registry.getSingleMetric('latchkey_process_start_time_seconds')
  // Otherwise a server with several workers would not show it.
  if (processStart) Object.assign(processStart, { aggregator: 'min' satisfies Merge })
  new Gauge({
    name: 'latchkey_build_info',
    help: 'Always 1. The labels contain the versions of Latchkey and Node.',
    labelNames: ['version', 'node'],
    aggregator: 'max',
    registers,
  }).set({ version: PRODUCT_VERSION, node: process.version }, 1)
  new Gauge({
    name: 'latchkey_workers',
    help: 'Number of processes of this server that these metrics cover.',
    registers,
  }).set(1)
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Histogram({ name, help, labelNames, buckets: SECONDS_BUCKETS, registers })
  const answered = counter('latchkey_http_requests_total', 'Answered requests by endpoint and status.', [
    'endpoint',
    'status',
  ])
  const answeredSeconds = histogram(
    'latchkey_http_request_seconds',
    'Seconds from a request to its answer; waits of blocking queries included.',
    ['endpoint'],
  )
  const refused = counter(
    'latchkey_connections_refused_total',
    'Connections refused because of the limit per client address.',
    [],
  )
  const dnsAnswers = counter('latchkey_dns_answers_total', 'DNS answers by response code and transport.', [
    'rcode',
    'transport',
  ])
  const forwardedRequests = counter(
    'latchkey_forwarded_requests_total',
    'Requests to other datacenters, by the status of their answer or refusal.',
    ['dc', 'status'],
  )
  const forwardedSeconds = histogram(
    'latchkey_forwarded_seconds',
    'Seconds from a request to another datacenter until its answer begins, including waits of blocking queries.',
    ['dc'],
  )
  return {
    registry,
    request(endpoint, status, seconds) {
      answered.inc({ endpoint, status })
      answeredSeconds.observe({ endpoint }, seconds)
    },
    connectionRefused: () => refused.inc(),
    dnsAnswer: (rcode, transport) => dnsAnswers.inc({ rcode, transport }),
    forwarded(dc, status, took) {
      forwardedRequests.inc({ dc, status: status === undefined ? 'none' : String(status) })
      forwardedSeconds.observe({ dc }, took)
    },
    gauge(name, help, read, merge = 'max') {
      new Gauge({
        name,
        help,
        aggregator: merge,
        registers,
        async collect() {
          this.set(await read())
        },
      })
    },
    gauges(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        aggregator: 'max',
        registers,
        async collect() {
          const values = await read()
          this.reset()
          for (const { labels, value } of values) this.set(labels, value)
        },
      })
    },
    counter(name, help, read) {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    },
  }
}

/** The values of a registry at one moment. */
export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

/** @returns a registry with each metric once, merged as registered: the sum, the minimum or the maximum. */
export function mergeMetrics(snapshots: readonly MetricSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots])
}

/** Metrics that only grow: counters and histograms. */
export function countedIn(snapshot: MetricSnapshot): MetricSnapshot {
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}
