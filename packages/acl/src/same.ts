/**
 * Whether two values are equal as JSON. An `undefined` field is treated as absent, and the order of fields is
 * irrelevant.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = a as Readonly<Record<string, unknown>>
  const right = b as Readonly<Record<string, unknown>>
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSame(left[key], right[key]))
}
