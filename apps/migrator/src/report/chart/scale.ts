/** The common time axis of a chart: positions in percent of the width, and ticks at round times. */
const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
]
/** Maximum number of ticks whose labels do not overlap on a phone. */
const TICKS_MAX = 5
/** If the whole chart is this many times longer than its busy part, the quiet rest is compressed. */
const QUIET_FACTOR = 3
/** Share of the width for the part before the break. */
const BUSY_SHARE = 70

export interface TimeScale {
  /** Milliseconds at the right edge; the left edge is 0. */
  readonly end: number
  readonly ticks: readonly number[]
  /** The time from which the scale is compressed; undefined if it is uniform. */
  readonly breakAt: number | undefined
  /** Position of a time, in percent of the width. */
  readonly percent: (ms: number) => number
}

/** @param busyUntil the time after which only batches happen. */
export function timeScale(end: number, busyUntil = end): TimeScale {
  const last = Math.max(end, 1)
  const busy = Math.max(1_000, busyUntil * 1.1)
  if (last < busy * QUIET_FACTOR) {
    const percent = (ms: number) => round((clamp(ms, last) / last) * 100)
    return { end: last, ticks: ticksTo(last, TICKS_MAX), breakAt: undefined, percent }
  }
  const percent = (ms: number) => {
    const at = clamp(ms, last)
    if (at <= busy) return round((at / busy) * BUSY_SHARE)
    return round(BUSY_SHARE + ((at - busy) / (last - busy)) * (100 - BUSY_SHARE))
  }
  return { end: last, ticks: [...ticksTo(busy, TICKS_MAX - 2), last], breakAt: busy, percent }
}

function ticksTo(end: number, max: number): number[] {
  const days = Math.ceil(end / 86_400_000 / max) * 86_400_000
  const step = STEPS_MS.find((each) => end / each <= max) ?? days
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step)
}

function clamp(ms: number, last: number): number {
  return Math.min(Math.max(ms, 0), last)
}

/** Rounds to two decimals, which is finer than any screen. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
