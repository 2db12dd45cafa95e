import { countedIn, type MetricSnapshot, mergeMetrics } from '../telemetry/metrics.ts'

/** How long a worker may take to report its metrics, in milliseconds. After that, its last report is used. */
const ANSWER_MS_MAX = 2_000

interface Collection {
  readonly missing: Set<number>
  readonly done: () => void
}

/**
 * Collects the metrics of all workers, identified by number. Counts of ended workers are kept, so no counter decreases.
 */
export class WorkerMetrics {
  private readonly request: (worker: number, ask: number) => void
  private readonly latest = new Map<number, MetricSnapshot>()
  private readonly collections = new Map<number, Collection>()
  private ended: Promise<MetricSnapshot> = Promise.resolve([])
  private asks = 0

  /** @param request requests the metrics of a worker; pass its answer to {@link collected}. */
  constructor(request: (worker: number, ask: number) => void) {
    this.request = request
  }

  async collect(workers: readonly number[]): Promise<MetricSnapshot> {
    this.asks += 1
    const ask = this.asks
    const { promise, resolve } = Promise.withResolvers<void>()
    this.collections.set(ask, { missing: new Set(workers), done: resolve })
    const timer = setTimeout(resolve, ANSWER_MS_MAX)
    for (const worker of workers) this.request(worker, ask)
    await promise
    clearTimeout(timer)
    this.collections.delete(ask)
    // Both at the same moment: a worker that ends moves from one to the other.
    const [living, ended] = [[...this.latest.values()], this.ended]
    return mergeMetrics([...living, await ended]).getMetricsAsJSON()
  }

  collected(worker: number, ask: number, metrics: MetricSnapshot): void {
    this.latest.set(worker, metrics)
    this.arrived(worker, this.collections.get(ask))
  }

  /** A worker has ended. */
  end(worker: number): void {
    const last = this.latest.get(worker)
    this.latest.delete(worker)
    if (last) {
      this.ended = this.ended.then((ended) => mergeMetrics([ended, countedIn(last)]).getMetricsAsJSON())
    }
    for (const collection of this.collections.values()) this.arrived(worker, collection)
  }

  private arrived(worker: number, collection: Collection | undefined): void {
    collection?.missing.delete(worker)
    if (collection?.missing.size === 0) collection.done()
  }
}
