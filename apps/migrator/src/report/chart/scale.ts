/** The time axis that everything in a chart shares: positions in percent of the width, and round ticks. */
const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
]
/** Ticks across the whole width, so that their labels do not meet on a phone. */
const TICKS_MAX = 5
/** Where the quiet end of a long migration is this many times longer than the rest, it is drawn narrower. */
const QUIET_FACTOR = 3
/** Share of the width for the part before the break. */
const BUSY_SHARE = 70

export interface TimeScale {
  /** Milliseconds at the right edge; the left edge is 0. */
  readonly end: number
  readonly ticks: readonly number[]
  /** From here on the scale is narrower; undefined if it is the same everywhere. */
  readonly breakAt: number | undefined
  /** Place of a time, in percent of the width. */
  readonly percent: (ms: number) => number
}

/** @param busyUntil after this time nothing happens but batches. */
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

/** Two decimals are finer than any screen. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
