/** Decodes values as the legacy service encodes them, in the msgpack of 2011: texts and bytes are both "raw". */
import { Decoder } from '@msgpack/msgpack'
import { ArchiveError } from './archive-error.ts'

/** Fields of a record. Texts are bytes until {@link textOf} reads them, since a time or a hash is no text. */
export type Fields = Readonly<Record<string, unknown>>

const RESERVED_KEY = '__proto__'
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const decoder = new Decoder({
  rawStrings: true,
  // The library refuses this key, but the metadata of a service may hold it. It does not concern us.
  keyDecoder: {
    canBeCached: (length) => length === RESERVED_KEY.length,
    decode: (bytes, offset, length) => {
      const key = Buffer.from(bytes.buffer, bytes.byteOffset + offset, length).toString('utf8')
      return key === RESERVED_KEY ? '' : key
    },
  },
  mapKeyConverter: (key) => (typeof key === 'number' ? key : String(key)),
})

/** @param byte place of the record, for the error. @throws ArchiveError if the value is not a map. */
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

/** A text, `''` if it is absent. Anything else is returned as it is, for the reader of the record to refuse. */
export function textOf(value: unknown, byte: number): unknown {
  if (value === undefined || value === null) return ''
  if (!(value instanceof Uint8Array)) return value
  try {
    return utf8.decode(value)
  } catch {
    throw new ArchiveError('a text in a record of state.bin is not UTF-8', { byte })
  }
}

/** A text, or `''` if it is anything else. */
export function plainTextOf(value: unknown, byte: number): string {
  const text = textOf(value, byte)
  return typeof text === 'string' ? text : ''
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
