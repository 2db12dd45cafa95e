/** Whole numbers in JSON beyond 2^53, which a double would round. */

/** What runtimes have since 2024, and the types of the language do not. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }

/** A number that `JSON.stringify` writes with all its digits. */
export function exactNumber(value: bigint): number | bigint {
  const rounded = Number(value)
  if (rawJSON === undefined || Number.isSafeInteger(rounded)) return rounded
  return rawJSON(String(value)) as bigint
}

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown

/** Parses JSON such that it can be written again without a loss. */
export function parseExact(text: string): unknown {
  const keep: Reviver = (_, value, { source }) =>
    typeof value === 'number' && /^\d{16,}$/.test(source) ? exactNumber(BigInt(source)) : value
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown)
}
