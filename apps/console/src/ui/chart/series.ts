export interface Line {
  readonly label: string
  /** `area`: measured values. `expected`: dashed. `bound`: a thin line. */
  readonly look: 'area' | 'expected' | 'bound'
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  readonly title: string
  /** Milliseconds since the epoch, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly format: (value: number) => string
}

export function clock(time: number | undefined): string {
  return time === undefined ? '' : new Date(time).toLocaleTimeString('en-GB')
}

/** Values of the past minutes, for charts. The server keeps no history: a chart begins when its page is opened. */

export interface Sample<T> {
  readonly at: number
  readonly value: T
}

/** A value and its history; the newest sample, at the end, is the value itself. */
export interface Sampled<T> {
  readonly value: T
  readonly samples: readonly Sample<T>[]
}

/** With one value a second: ten minutes in full detail. */
const SAMPLES_MAX = 600

/** Adds a value. Beyond {@link SAMPLES_MAX}, every second sample is dropped, so that the first one stays for hours. */
export function sampled<T>(before: Sampled<T> | undefined, value: T, at = Date.now()): Sampled<T> {
  const samples = before?.samples ?? []
  const thinned = samples.length < SAMPLES_MAX ? samples : samples.filter((_, i) => i % 2 === 0)
  return { value, samples: [...thinned, { at, value }] }
}
