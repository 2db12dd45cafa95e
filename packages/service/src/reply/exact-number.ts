/** Whole numbers in JSON beyond 2^53, which a double would round. */

/** Runtimes have had this since 2024; TypeScript's types do not. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }

/** A number that `JSON.stringify` writes with all its digits. */
export function exactNumber(value: bigint): number | bigint {
  const rounded = Number(value)
  if (rawJSON === undefined || Number.isSafeInteger(rounded)) return rounded
  return rawJSON(String(value)) as bigint
}

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown

/** Parses JSON so that it can be serialized again without loss. */
export function parseExact(text: string): unknown {
  const keep: Reviver = (_, value, { source }) =>
    typeof value === 'number' && /^\d{16,}$/.test(source) ? exactNumber(BigInt(source)) : value
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown)
}
