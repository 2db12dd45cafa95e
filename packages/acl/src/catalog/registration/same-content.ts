/** Whether two records say the same, indexes aside. The order of keys does not matter. */
export function isSameContent(record: object, other: object | undefined): boolean {
  return other !== undefined && isSame({ ...record, ...INDEXES }, { ...other, ...INDEXES })
}

const INDEXES = { CreateIndex: 0, ModifyIndex: 0 }

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [one, two] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(two).length &&
    keys.every((key) => Object.hasOwn(two, key) && isSame(one[key], two[key]))
  )
}
