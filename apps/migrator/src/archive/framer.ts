/**
 * Splits `state.bin` into records: a header (a msgpack map), then records of one type byte and one msgpack value each.
 * Values are skipped without decoding, because most records (keys, nodes, checks) are irrelevant. A limit on the size
 * of a record limits what decoding it can allocate.
 */
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

/** The highest type that versions up to 1.9 write. Types without a name above, such as sessions and keys, are not used. */
const KNOWN_MAX = 31

/** Whether versions up to 1.9 write this type. */
export function isKnownRecordType(type: number): boolean {
  return type <= KNOWN_MAX
}

/** Maximum size of a record. The largest records are keys, with values of half a megabyte by default. */
const STATE_RECORD_BYTES_MAX = 32 * 1024 * 1024

export interface StateRecord {
  /** Undefined for the header. */
  readonly type: number | undefined
  /** The value, in msgpack. Valid until the next call to the framer. */
  readonly value: Uint8Array
  /** Offset of the record in `state.bin`. */
  readonly byte: number
}

const BUFFER_BYTES_MIN = 64 * 1024
/** Higher types mark log entries that old servers may ignore; snapshots never contain them. */
const TYPE_MAX = 127

export class RecordFramer {
  private buffer = Buffer.allocUnsafe(BUFFER_BYTES_MIN)
  /** Number of bytes in the buffer. */
  private used = 0
  /** Offset of the buffer in `state.bin`. */
  private base = 0
  /** Number of bytes of the buffer whose records were returned. */
  private taken = 0
  private isHeader = true
  /** Position in the buffer of the next msgpack head, and how many values the record still needs. */
  private pos = 0
  private values = 0

  /** Adds bytes, and returns the records that they complete. @throws ArchiveError */
  push(chunk: Uint8Array): StateRecord[] {
    const bytes = this.append(chunk)
    const records: StateRecord[] = []
    let start = 0
    for (;;) {
      if (this.values === 0) {
        if (start >= bytes.length) break
        this.pos = this.isHeader ? start : start + 1
        this.values = 1
        if (!this.isHeader && (bytes[start] ?? 0) > TYPE_MAX) throw this.broken(start)
      }
      if (!this.skipValues(bytes)) break
      const typed = this.isHeader ? start : start + 1
      records.push({
        type: this.isHeader ? undefined : bytes[start],
        value: bytes.subarray(typed, this.pos),
        byte: this.base + start,
      })
      this.isHeader = false
      start = this.pos
    }
    this.taken = start
    if (bytes.length - start > STATE_RECORD_BYTES_MAX) {
      throw new ArchiveError(`a record is larger than ${STATE_RECORD_BYTES_MAX} bytes`, {
        byte: this.base + start,
      })
    }
    return records
  }

  /** Ends the input. @throws ArchiveError if it is truncated or empty. */
  end(): void {
    if (this.used > this.taken)
      throw new ArchiveError('state.bin is cut off inside a record', { byte: this.base + this.taken })
    if (this.isHeader) throw new ArchiveError('state.bin is empty')
  }

  /** Drops returned records and appends a chunk. The buffer doubles when full, so a long record takes linear time. */
  private append(chunk: Uint8Array): Uint8Array {
    const rest = this.buffer.subarray(this.taken, this.used)
    const length = rest.length + chunk.length
    if (length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.buffer.length))
      larger.set(rest)
      this.buffer = larger
    } else this.buffer.copyWithin(0, this.taken, this.used)
    this.buffer.set(chunk, rest.length)
    this.base += this.taken
    this.pos -= this.taken
    this.taken = 0
    this.used = length
    return this.buffer.subarray(0, length)
  }

  /** Advances to the end of the record. @returns false if it needs more bytes; the next call resumes there. */
  private skipValues(bytes: Uint8Array): boolean {
    while (this.values > 0) {
      const head = bytes[this.pos]
      if (head === undefined) return false
      const { lengthBytes, fixed, each } = this.shapeOf(head)
      const after = this.pos + 1 + lengthBytes
      if (after > bytes.length) return false
      let length = 0
      for (let i = this.pos + 1; i < after; i++) length = length * 256 + (bytes[i] ?? 0)
      if (each > 0) {
        this.values += (lengthBytes === 0 ? fixed : length) * each - 1
        this.pos = after
        continue
      }
      const end = after + fixed + length
      if (end > bytes.length) return false
      this.values -= 1
      this.pos = end
    }
    return true
  }

  /** The layout of a value, determined by its first byte. */
  private shapeOf(head: number): Shape {
    if (head <= 0x7f || head >= 0xe0) return EMPTY
    if (head <= 0x8f) return { lengthBytes: 0, fixed: head & 0x0f, each: 2 }
    if (head <= 0x9f) return { lengthBytes: 0, fixed: head & 0x0f, each: 1 }
    if (head <= 0xbf) return { lengthBytes: 0, fixed: head & 0x1f, each: 0 }
    const shape = SHAPES[head - 0xc0]
    if (shape === undefined) throw this.broken(this.pos)
    return shape
  }

  private broken(at: number): ArchiveError {
    return new ArchiveError('state.bin is not a list of msgpack records', { byte: this.base + at })
  }
}

interface Shape {
  readonly lengthBytes: number
  readonly fixed: number
  /** Values per element: 2 in a map, 1 in a list, 0 in a scalar. */
  readonly each: number
}

const scalar = (fixed: number): Shape => ({ lengthBytes: 0, fixed, each: 0 })
const sized = (lengthBytes: number, fixed = 0): Shape => ({ lengthBytes, fixed, each: 0 })
const EMPTY = scalar(0)
/** Layouts from 0xc0 on. The format does not use 0xc1. */
const SHAPES: readonly (Shape | undefined)[] = [
  ...[EMPTY, undefined, EMPTY, EMPTY],
  // bin 8, 16, 32; ext 8, 16, 32, which have a type byte
  ...[sized(1), sized(2), sized(4), sized(1, 1), sized(2, 1), sized(4, 1)],
  // float 32, 64; uint 8 to 64; int 8 to 64
  ...[scalar(4), scalar(8), scalar(1), scalar(2), scalar(4), scalar(8)],
  ...[scalar(1), scalar(2), scalar(4), scalar(8)],
  // fixext 1, 2, 4, 8, 16
  ...[scalar(2), scalar(3), scalar(5), scalar(9), scalar(17)],
  // str 8, 16, 32; array 16, 32; map 16, 32
  ...[sized(1), sized(2), sized(4)],
  ...[
    { lengthBytes: 2, fixed: 0, each: 1 },
    { lengthBytes: 4, fixed: 0, each: 1 },
    { lengthBytes: 2, fixed: 0, each: 2 },
    { lengthBytes: 4, fixed: 0, each: 2 },
  ],
]
