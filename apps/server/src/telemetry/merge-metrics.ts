/** Merges the metrics of several processes. */
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'

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
