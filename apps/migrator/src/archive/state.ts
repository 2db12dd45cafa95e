/** Reads `state.bin`: records of a type and a map in msgpack of 2011, where texts and bytes are both raw. */
import { Decoder } from '@msgpack/msgpack'

/** The file is damaged, truncated, or not an archive. `byte` is an offset in `state.bin`. The message has no secret. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly byte: number | undefined

  constructor(message: string, options: { readonly byte?: number; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.byte = options.byte
  }
}

/** Types of the records in `state.bin`. The numbers are part of the public format and are never reused. */
export const RECORD = {
  register: 0,
  legacyToken: 4,
  legacyBootstrap: 11,
  intention: 12,
  index: 16,
  token: 17,
} as const

/** Fields of a record. Texts remain bytes until {@link textOf} decodes them, because times and hashes are not texts. */
export type Fields = Readonly<Record<string, unknown>>

export interface StateRecord {
  readonly type: number
  readonly value: Uint8Array
  readonly byte: number
}

/** Maximum size of a record. The largest records are keys, with values of half a megabyte by default. */
const STATE_RECORD_BYTES_MAX = 32 * 1024 * 1024
/** Higher types mark log entries that old servers may ignore; snapshots never contain them. */
const TYPE_MAX = 127
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

/** Yields the records as they arrive. Values are skipped, so that the size of a record limits its memory. */
export async function* readState(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StateRecord, void> {
  let bytes: Uint8Array = new Uint8Array(0)
  let base = 0
  let isHeader = true
  const next = { at: 0, values: 0 }
  const complete = function* (): Generator<StateRecord> {
    let start = 0
    while (next.values > 0 || start < bytes.length) {
      const type = isHeader ? 0 : (bytes[start] ?? 0)
      if (type > TYPE_MAX) throw malformed(base + start)
      const first = isHeader ? start : start + 1
      if (next.values === 0) Object.assign(next, { at: first, values: 1 })
      if (!skipValues(bytes, next, base)) break
      if (!isHeader) yield { type, value: bytes.subarray(first, next.at), byte: base + start }
      isHeader = false
      start = next.at
    }
    bytes = bytes.subarray(start)
    base += start
    next.at -= start
  }
  let added: Uint8Array[] = []
  let addedBytes = 0
  for await (const chunk of chunks) {
    added.push(chunk)
    addedBytes += chunk.length
    if (bytes.length + addedBytes > STATE_RECORD_BYTES_MAX) {
      throw new ArchiveError(`a record is larger than ${STATE_RECORD_BYTES_MAX} bytes`, { byte: base })
    }
    // Copies a long record only when it has doubled.
    if (addedBytes < bytes.length) continue
    bytes = Buffer.concat([bytes, ...added])
    added = []
    addedBytes = 0
    yield* complete()
  }
  bytes = Buffer.concat([bytes, ...added])
  yield* complete()
  if (bytes.length > 0) throw new ArchiveError('state.bin is cut off inside a record', { byte: base })
  if (isHeader) throw new ArchiveError('state.bin is empty')
}

/** Advances to the end of the record. @returns false if it needs more bytes; the next call resumes there. */
function skipValues(bytes: Uint8Array, next: { at: number; values: number }, base: number): boolean {
  while (next.values > 0) {
    const head = bytes[next.at]
    if (head === undefined) return false
    const shape = shapeOf(head)
    if (shape === undefined) throw malformed(base + next.at)
    const [lengthBytes, fixed, each] = shape
    const after = next.at + 1 + lengthBytes
    if (after > bytes.length) return false
    let length = 0
    for (let i = next.at + 1; i < after; i++) length = length * 256 + (bytes[i] ?? 0)
    const end = each > 0 ? after : after + fixed + length
    if (end > bytes.length) return false
    next.values += (fixed + length) * each - 1
    next.at = end
  }
  return true
}

function malformed(byte: number): ArchiveError {
  return new ArchiveError('state.bin is not a list of msgpack records', { byte })
}

/** Bytes of the length, then bytes (or, in a collection, elements) besides that, then values per element; 0 in a scalar. */
type Shape = readonly [lengthBytes: number, fixed: number, each: 0 | 1 | 2]

/** The layout of a value, determined by its first byte; undefined for one that the format does not use. */
function shapeOf(head: number): Shape | undefined {
  if (head <= 0x7f || head >= 0xe0) return [0, 0, 0]
  if (head <= 0x8f) return [0, head & 0x0f, 2]
  if (head <= 0x9f) return [0, head & 0x0f, 1]
  if (head <= 0xbf) return [0, head & 0x1f, 0]
  return SHAPES[head - 0xc0]
}

const EMPTY: Shape = [0, 0, 0]
const SHAPES: readonly (Shape | undefined)[] = [
  ...[EMPTY, undefined, EMPTY, EMPTY],
  // bin 8, 16, 32; ext 8, 16, 32, which have a type byte
  ...([1, 2, 4].map((bytes) => [bytes, 0, 0]) as Shape[]),
  ...([1, 2, 4].map((bytes) => [bytes, 1, 0]) as Shape[]),
  // float 32, 64; uint 8 to 64; int 8 to 64; fixext 1, 2, 4, 8, 16
  ...([4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17].map((bytes) => [0, bytes, 0]) as Shape[]),
  // str 8, 16, 32
  ...([1, 2, 4].map((bytes) => [bytes, 0, 0]) as Shape[]),
  // array 16, 32; map 16, 32
  ...([
    [2, 0, 1],
    [4, 0, 1],
    [2, 0, 2],
    [4, 0, 2],
  ] as Shape[]),
]

export function decodeFields({ value, byte }: StateRecord): Fields {
  let decoded: unknown
  try {
    decoded = decoder.decode(value)
  } catch (cause) {
    throw new ArchiveError('a record of state.bin is not msgpack', { byte, cause })
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
export function textOf(value: unknown): unknown {
  if (value === undefined || value === null) return ''
  if (!(value instanceof Uint8Array)) return value
  try {
    return utf8.decode(value)
  } catch {
    throw new ArchiveError('a text in a record of state.bin is not UTF-8')
  }
}

export function plainTextOf(value: unknown): string {
  const text = textOf(value)
  return typeof text === 'string' ? text : ''
}
