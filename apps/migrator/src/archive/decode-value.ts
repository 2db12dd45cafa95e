/** Decodes values in the encoding of the legacy service: msgpack of 2011, in which texts and bytes are both "raw". */
import { Decoder } from '@msgpack/msgpack'
import { ArchiveError } from './framer.ts'

/** Fields of a record. Texts remain bytes until {@link textOf} decodes them, because times and hashes are not texts. */
export type Fields = Readonly<Record<string, unknown>>

const RESERVED_KEY = '__proto__'
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const decoder = new Decoder({
  rawStrings: true,
  // The library refuses this key, but the metadata of a service may contain it. It is irrelevant here.
  keyDecoder: {
    canBeCached: (length) => length === RESERVED_KEY.length,
    decode: (bytes, offset, length) => {
      const key = Buffer.from(bytes.buffer, bytes.byteOffset + offset, length).toString('utf8')
      return key === RESERVED_KEY ? '' : key
    },
  },
  mapKeyConverter: (key) => (typeof key === 'number' ? key : String(key)),
})

/** @param byte offset of the record, for the error. @throws ArchiveError if the value is not a map. */
export function decodeFields(value: Uint8Array, byte: number): Fields {
  let decoded: unknown
  try {
    decoded = decoder.decode(value)
  } catch (error) {
    throw new ArchiveError('a record of state.bin is not msgpack', { byte, cause: error })
  }
  const fields = fieldsOf(decoded)
  if (fields === undefined) throw new ArchiveError('a record of state.bin is not a map', { byte })
  return fields
}

export function fieldsOf(value: unknown): Fields | undefined {
  const isMap =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  return isMap ? (value as Fields) : undefined
}

/** A text; `''` if it is absent. Any other value is returned unchanged, and the caller refuses it. */
export function textOf(value: unknown, byte: number): unknown {
  if (value === undefined || value === null) return ''
  if (!(value instanceof Uint8Array)) return value
  try {
    return utf8.decode(value)
  } catch {
    throw new ArchiveError('a text in a record of state.bin is not UTF-8', { byte })
  }
}

/** A text, or `''` for any other value. */
export function plainTextOf(value: unknown, byte: number): string {
  const text = textOf(value, byte)
  return typeof text === 'string' ? text : ''
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
