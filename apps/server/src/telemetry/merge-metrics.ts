/** Merges the metrics of several processes. */
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'

/** The values of a registry at one moment. */
export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

/** @returns a registry with each metric once, merged as it was registered to be: the sum, the least or the greatest value. */
export function mergeMetrics(snapshots: readonly MetricSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots])
}

/** What only grows: counters and histograms. */
export function countedIn(snapshot: MetricSnapshot): MetricSnapshot {
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
}
