const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
]

/** `8h 20m`: the two largest units, rounded to the smaller. */
export function durationText(ms: number): string {
  let rest = rounded(Math.max(0, ms))
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 || (parts.length === 0 && unit === 's')) parts.push(`${count}${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

/** Rounds to the unit below the largest one. */
function rounded(ms: number): number {
  const largest = UNITS.findIndex(([, size]) => ms >= size)
  const [, size = 1] = UNITS[largest + 1] ?? []
  return largest === -1 ? ms : Math.round(ms / size) * size
}

/** `in 8h (2026-11-21T13:13:23.837Z)`; `never` without an instant. */
export function expiryText(instant: string | undefined, now = Date.now()): string {
  if (instant === undefined) return 'never'
  const ms = Date.parse(instant) - now
  return `${ms > 0 ? shortExpiryText(instant, now) : `expired ${durationText(-ms)} ago`} (${instant})`
}

export function shortExpiryText(instant: string | undefined, now = Date.now()): string {
  if (instant === undefined) return 'never'
  const ms = Date.parse(instant) - now
  return ms > 0 ? `in ${durationText(ms)}` : 'expired'
}
