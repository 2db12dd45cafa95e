/** Compares bursts of an outcome: the outages of two restarts are two bursts, which are compared separately. */
import type { Window } from '../workloads.ts'
import { distanceMs, type Stall } from './stalls.ts'

type Spans = Window['spans']

interface Options {
  readonly stalls: readonly Stall[]
  /** Maximum distance between two times, not counting stalls. */
  readonly allowedMs: number
}

/**
 * Whether clients saw an outcome at the simulated times: each call on one side must be close to a call on the other
 * side. Only a brief burst may be missing, because a call hits it only by chance.
 */
export function haveSameBursts(
  measured: Window | undefined,
  simulated: Window | undefined,
  options: Options,
): boolean {
  const [real, model] = [measured?.spans ?? [], simulated?.spans ?? []]
  return areIn(real, model, options) && areIn(model, real, options)
}

function areIn(spans: Spans, others: Spans, options: Options): boolean {
  const { stalls, allowedMs } = options
  const distanceTo = (at: number, { from, to }: Spans[number]) =>
    at < from ? distanceMs(at, from, stalls) : at > to ? distanceMs(to, at, stalls) : 0
  const isNear = (at: number) => others.some((other) => distanceTo(at, other) <= allowedMs)
  const long = burstsOf(spans, options).filter((burst) => {
    const [from, to] = [burst[0]?.from ?? 0, Math.max(...burst.map((each) => each.to))]
    return distanceMs(from, to, stalls) > allowedMs
  })
  return long.flat().every(({ from, to }) => isNear(from) && isNear(to))
}

/** Splits spans at gaps that are longer than allowed. */
function burstsOf(spans: Spans, { stalls, allowedMs }: Options): Spans[] {
  const bursts: Spans[number][][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = bursts.at(-1)
    if (last === undefined || (span.from > end && distanceMs(end, span.from, stalls) > allowedMs))
      bursts.push([span])
    else last.push(span)
    end = Math.max(end, span.to)
  }
  return bursts
}
