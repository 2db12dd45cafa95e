/** What a chart draws. */

export interface Line {
  readonly label: string
  /** `area`: measured values. `expected`: dashed. `bound`: a thin line. */
  readonly look: 'area' | 'expected' | 'bound'
  /** One for each time; `null` for none. */
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  readonly title: string
  /** Milliseconds since the epoch, ascending. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  /** A value with its unit. */
  readonly format: (value: number) => string
}

/** A time of day, to the second. */
export function clock(time: number | undefined): string {
  return time === undefined ? '' : new Date(time).toLocaleTimeString('en-GB')
}
