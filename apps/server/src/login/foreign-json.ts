/** Reads JSON from tokens and providers strictly: UTF-8, one value, no duplicate names, bounded depth. */
import { decodeUtf8, type Json, parseJson } from '@latchkey/contract'
import { OutgoingError, type OutgoingFailure } from '../outgoing/outgoing.ts'

/** An object without a prototype: reading a name that it lacks gives `undefined`. */
export type JsonObject = { readonly [name: string]: Json | undefined }

export function isJsonObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseObject(bytes: Uint8Array): JsonObject {
  const value = parseJson(decodeUtf8(bytes), { isForeign: true })
  if (isJsonObject(value)) return value
  throw new TypeError('not a JSON object')
}

/** Reads the answer of a provider. @throws OutgoingError with the given failure. */
export function readJson(body: Uint8Array, failure: OutgoingFailure): JsonObject {
  try {
    return parseObject(body)
  } catch (cause) {
    throw new OutgoingError(failure, { cause })
  }
}
