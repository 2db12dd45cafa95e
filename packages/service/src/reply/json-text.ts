/** JSON of answers. Pre-rendered text keeps the type of its value. */

export const JSON_TYPE = 'application/json'
const PRETTY_INDENT = 4

declare const CONTENT: unique symbol

/** The JSON text of a `T`. Only {@link jsonText} and {@link joinElements} create it. */
export type JsonText<T> = string & { readonly [CONTENT]: T }

/** The same in UTF-8. */
export type JsonBytes<T> = Uint8Array & { readonly [CONTENT]: T }

/** The elements of a list `T` as JSON text, without the brackets; empty for none. */
export type JsonElements<T> = string & { readonly [CONTENT]: { readonly elementsOf: T } }

/** The same in UTF-8. */
export type JsonElementBytes<T> = Uint8Array & { readonly [CONTENT]: { readonly elementsOf: T } }

export function stringify(value: unknown, pretty: boolean): string {
  return pretty ? `${JSON.stringify(value, undefined, PRETTY_INDENT)}\n` : JSON.stringify(value)
}

export function jsonText<T>(value: T): JsonText<T> {
  return JSON.stringify(value) as JsonText<T>
}

export function jsonElements<E>(elements: readonly E[]): JsonElements<E[]> {
  return JSON.stringify(elements).slice(1, -1) as JsonElements<E[]>
}

export function joinElements<T>(pages: readonly JsonElements<T>[]): JsonText<T> {
  return `[${pages.filter((page) => page !== '').join(',')}]` as JsonText<T>
}

const encoder = new TextEncoder()

export function jsonBytes<T>(text: JsonText<T>): JsonBytes<T> {
  return encoder.encode(text) as unknown as JsonBytes<T>
}

/**
 * A JSON document that never changes, as the bytes of its answers. It is serialized once, and all answers in flight share it.
 */
export class JsonDocument<T> {
  private readonly document: () => T
  private compact: Uint8Array | undefined
  private pretty: Uint8Array | undefined

  /** @param document called when the first of the forms is requested. */
  constructor(document: () => T) {
    this.document = document
  }

  bytes({ pretty }: { readonly pretty: boolean }): Uint8Array {
    if (pretty) {
      this.pretty ??= this.make(pretty)
      return this.pretty
    }
    this.compact ??= this.make(pretty)
    return this.compact
  }

  private make(pretty: boolean): Uint8Array {
    return encoder.encode(stringify(this.document(), pretty))
  }
}

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
