/** Time axes: positions and labels of ticks. */
import { formatSeconds } from '../scenario/time.ts'

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
]
/** Minimum distance between ticks, even on a phone. */
const TICKS_MAX = 5

export interface TimeScale {
  /** Milliseconds at the right edge; the left edge is 0. */
  readonly end: number
  readonly ticks: readonly { readonly at: number; readonly label: string }[]
  /** Place of a time, in percent of the width. */
  readonly percent: (ms: number) => number
}

/** A scale from 0 to a time, with at most six ticks on round values. */
export function timeScale(end: number): TimeScale {
  const last = Math.max(end, 1)
  const days = Math.ceil(last / 86_400_000 / TICKS_MAX) * 86_400_000
  const step = STEPS_MS.find((each) => last / each <= TICKS_MAX) ?? days
  const count = Math.floor(last / step)
  const ticks = Array.from({ length: count + 1 }, (_, i) => ({
    at: i * step,
    label: formatSeconds(i * step),
  }))
  return { end: last, ticks, percent: (ms) => round((Math.min(ms, last) / last) * 100) }
}

/** Two decimals are finer than any screen. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
