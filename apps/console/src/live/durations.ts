/** `3 minutes`, `1 hour 20 minutes`: the two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const units = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3_600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ] as const
  const first = units.findIndex(([count]) => count > 0)
  if (first < 0) return '0 seconds'
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ')
}
