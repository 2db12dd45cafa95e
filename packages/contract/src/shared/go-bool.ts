/** Go's spellings of true and false, which existing clients use. */
const GO_BOOLS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

/** Reads a boolean; `undefined` for any other text. */
export function parseGoBool(text: string): boolean | undefined {
  return GO_BOOLS.get(text)
}
