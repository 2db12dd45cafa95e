/** Which calls of a workload fall into a period. */
import type { WorkloadSpec } from '../scenario/scenario.ts'

/** The calls of a stream in a period: how many, the first and the last. */
export function callsIn(
  { fromMs, ratePerSecond }: WorkloadSpec,
  { offset, period }: { readonly offset: number; readonly period: number },
  { from, to }: { readonly from: number; readonly to: number },
): { readonly first: number; readonly last: number; readonly count: number } {
  const gap = 1_000 / ratePerSecond
  // With half a microsecond of slack, a call at the boundary of two periods is in exactly one of them.
  const numberAt = (time: number) => Math.ceil(((time - fromMs) / gap - offset) / period - 5e-7)
  const begin = Math.max(0, numberAt(from))
  const end = Math.max(begin, numberAt(to))
  const timeOf = (n: number) => Math.round(fromMs + (n * period + offset) * gap)
  return { first: timeOf(begin), last: timeOf(end - 1), count: end - begin }
}
