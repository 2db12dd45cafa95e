/**
 * Counts of answered requests and their durations. The series of prom-client look up labels and buckets by text for
 * each request, which took a tenth of a self read; these are plain numbers, which prom-client only prints.
 */
import { Counter, Histogram, type Registry } from 'prom-client'

export const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

interface EndpointSeries {
  readonly seconds: SecondsSeries
  /** Answers by status. */
  readonly answers: Map<number, { count: number }>
}

/** Both metrics of answered requests. */
export class RequestMetrics {
  private readonly byEndpoint = new Map<string, EndpointSeries>()

  constructor(registry: Registry) {
    const { byEndpoint } = this
    new Counter({
      name: 'latchkey_http_requests_total',
      help: 'Answered requests by endpoint and status.',
      labelNames: ['endpoint', 'status'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [endpoint, { answers }] of byEndpoint) {
          for (const [status, { count }] of answers) this.inc({ endpoint, status }, count)
        }
      },
    })
    registry.registerMetric(new EndpointSeconds(byEndpoint))
  }

  add(endpoint: string, status: number, seconds: number): void {
    let series = this.byEndpoint.get(endpoint)
    if (!series) {
      series = { seconds: new SecondsSeries(), answers: new Map() }
      this.byEndpoint.set(endpoint, series)
    }
    const answers = series.answers.get(status)
    if (answers) answers.count += 1
    else series.answers.set(status, { count: 1 })
    series.seconds.observe(seconds)
  }
}

class SecondsSeries {
  /** Observations by bucket; the last bucket is for values above all bounds. */
  readonly counts = new Float64Array(SECONDS_BUCKETS.length + 1)
  sum = 0

  observe(seconds: number): void {
    let bucket = 0
    for (const bound of SECONDS_BUCKETS) {
      if (seconds <= bound) break
      bucket += 1
    }
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += seconds
  }
}

const NAME = 'latchkey_http_request_seconds'
const HELP = 'Seconds from a request to its answer; waits of blocking queries included.'

/** Shows the series as a histogram of prom-client, which calls this method for the values that it prints and merges. */
class EndpointSeconds extends Histogram<'endpoint'> {
  private readonly byEndpoint: ReadonlyMap<string, EndpointSeries>

  constructor(byEndpoint: ReadonlyMap<string, EndpointSeries>) {
    super({ name: NAME, help: HELP, labelNames: ['endpoint'], buckets: SECONDS_BUCKETS, registers: [] })
    this.byEndpoint = byEndpoint
  }

  async getForPromString() {
    const values = [...this.byEndpoint].flatMap(([endpoint, { seconds }]) => valuesOf(endpoint, seconds))
    return { name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values }
  }
}

/** Each bucket of a histogram includes those below it. */
function valuesOf(endpoint: string, { counts, sum }: SecondsSeries) {
  let count = 0
  const value = (suffix: string, value: number, labels: Readonly<Record<string, string | number>> = {}) => ({
    metricName: `${NAME}_${suffix}`,
    labels: { ...labels, endpoint },
    sharedLabels: {},
    value,
  })
  const buckets = [...SECONDS_BUCKETS, '+Inf'].map((le, i) => {
    count += counts[i] ?? 0
    return value('bucket', count, { le })
  })
  return [...buckets, value('sum', sum), value('count', count)]
}
