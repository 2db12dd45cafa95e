/**
 * Durations in Go notation: a sequence of decimal numbers, each with a unit (`90s`, `1h30m`, `1.5h`, `-2ms`). Used only
 * on the wire; everything else uses milliseconds.
 */
const UNIT_NS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
}

const NS_PER_MS = 1e6

/** Maximum Go duration in nanoseconds (2^63 - 1, which a double rounds up). */
const DURATION_NS_MAX = 2 ** 63

const PART = /(\d+(?:\.\d*)?|\.\d+)([a-zµμ]*)/y

export class DurationSyntaxError extends Error {
  override readonly name = 'DurationSyntaxError'
}

/**
 * Parses a Go duration into nanoseconds, which may be fractional but never NaN.
 *
 * @throws DurationSyntaxError that names the text and the missing or unknown unit.
 */
export function parseDurationNs(text: string): number {
  const negative = text.startsWith('-')
  const body = negative || text.startsWith('+') ? text.slice(1) : text
  if (body === '0') return 0
  if (body === '') throw new DurationSyntaxError(`invalid duration "${text}"`)
  let total = 0
  PART.lastIndex = 0
  while (PART.lastIndex < body.length) {
    const part = PART.exec(body)
    if (!part) throw new DurationSyntaxError(`invalid duration "${text}"`)
    const [, digits = '', unit = ''] = part
    if (unit === '') throw new DurationSyntaxError(`missing unit in duration "${text}"`)
    const scale = UNIT_NS[unit]
    if (scale === undefined) throw new DurationSyntaxError(`unknown unit "${unit}" in duration "${text}"`)
    total += Number(digits) * scale
  }
  if (total > DURATION_NS_MAX) throw new DurationSyntaxError(`invalid duration "${text}"`)
  return negative ? -total : total
}

/** Parses a Go duration into milliseconds, keeping fractions. */
export function parseDurationMs(text: string): number {
  return parseDurationNs(text) / NS_PER_MS
}

/** Formats milliseconds like Go: `1m0s`, `25h0m0s`, `1.5s`, `500ms`. */
export function formatDurationMs(ms: number): string {
  if (ms === 0) return '0s'
  const sign = ms < 0 ? '-' : ''
  const abs = Math.abs(ms)
  if (abs < 1e-3) return `${sign}${Math.round(abs * NS_PER_MS)}ns`
  if (abs < 1) return `${sign}${trim(abs * 1e3)}µs`
  if (abs < 1000) return `${sign}${trim(abs)}ms`
  const totalSeconds = Math.floor(abs / 1000)
  const hours = Math.floor(totalSeconds / 3600)
  const minutes = Math.floor((totalSeconds % 3600) / 60)
  const seconds = `${trim((totalSeconds % 60) + (abs - totalSeconds * 1000) / 1000)}s`
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`
}

/** Keeps nine digits, because 59.999999999s must not be rounded to a minute. */
function trim(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, '')
}
