/** Judges whether a long run of load shows leaks or growing latency (LOAD-03). */

/** The measurements at the end of a part of the run. */
export interface Window {
  /** Since the start of the load, in milliseconds. */
  readonly atMs: number
  /** Resident memory and live heap, after a garbage collection. */
  readonly residentBytes: number
  readonly heapBytes: number
  readonly p99Ms: number
}

export interface SoakFigures {
  readonly minutes: number
  /** Requests a second: what the server reached in a closed loop, and what it then got. */
  readonly capacity: number
  readonly perSecond: number
  readonly requests: number
  /** Requests with an unexpected answer. */
  readonly failures: number
  /** Open files and sockets while idle: after the warm-up, and at the end. */
  readonly handles: { readonly before: number; readonly after: number }
  readonly windows: readonly Window[]
}

interface Verdict {
  readonly residentMiBPerHour: number
  readonly heapMiBPerHour: number
  /** Growth of the p99 from the first third to the last, as a fraction of it. */
  readonly p99Drift: number
  /** Problems, described in words. */
  readonly findings: readonly string[]
  /** Properties that a run this short cannot judge. */
  readonly notJudged: readonly string[]
}

/** The first part of a run is warm-up: caches fill, code is compiled. */
export const WARM_UP_PART = 0.2
const RESIDENT_MIB_PER_HOUR_MAX = 1
const P99_DRIFT_MAX = 0.1
/** Pooled connections come and go. */
const HANDLES_MORE_MAX = 4
/** In shorter runs slopes are noise, and only this much heap growth is a finding. */
const MINUTES_FOR_SLOPES = 60
const HEAP_GROWTH_MIB_MAX = 16

const MIB = 1_048_576
const HOUR_MS = 3_600_000

export function judgeSoak({ minutes, failures, handles, windows }: SoakFigures): Verdict {
  const warm = windows.slice(Math.floor(windows.length * WARM_UP_PART))
  const slope = (of: (window: Window) => number) =>
    (slopeOf(warm.map((window) => [window.atMs, of(window)])) * HOUR_MS) / MIB
  const residentMiBPerHour = slope(({ residentBytes }) => residentBytes)
  const heapMiBPerHour = slope(({ heapBytes }) => heapBytes)
  const third = Math.max(1, Math.floor(warm.length / 3))
  const before = medianOf(warm.slice(0, third).map(({ p99Ms }) => p99Ms))
  const p99Drift = medianOf(warm.slice(-third).map(({ p99Ms }) => p99Ms)) / before - 1
  const heapGrowth = ((warm.at(-1)?.heapBytes ?? 0) - (warm[0]?.heapBytes ?? 0)) / MIB
  const isLong = minutes >= MINUTES_FOR_SLOPES
  const findings = [
    failures > 0 && `${failures} requests failed`,
    handles.after > handles.before + HANDLES_MORE_MAX && `${handles.before} handles became ${handles.after}`,
    heapGrowth > Math.max(HEAP_GROWTH_MIB_MAX, (RESIDENT_MIB_PER_HOUR_MAX * minutes) / 60) &&
      `the heap grew by ${heapGrowth.toFixed(1)} MiB`,
    isLong &&
      residentMiBPerHour > RESIDENT_MIB_PER_HOUR_MAX &&
      `resident memory grows by ${residentMiBPerHour.toFixed(1)} MiB an hour`,
    isLong && p99Drift > P99_DRIFT_MAX && `the p99 grew by ${Math.round(p99Drift * 100)} %`,
  ]
  return {
    residentMiBPerHour,
    heapMiBPerHour,
    p99Drift,
    findings: findings.filter((finding) => finding !== false),
    notJudged: isLong ? [] : ['slope of resident memory', 'drift of the p99'],
  }
}

/** Fits the slope by least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x0, y0] = [mean(([x]) => x), mean(([, y]) => y)]
  const spread = mean(([x]) => (x - x0) ** 2)
  return spread === 0 ? 0 : mean(([x, y]) => (x - x0) * (y - y0)) / spread
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
