/**
 * Writes snapshot archives after the public format of the legacy service: a gzip tar of `meta.json`, `state.bin` (a header,
 * then one byte of type and one msgpack value each) and `SHA256SUMS`. Values are encoded as the codec of that service does:
 * maps with text keys, no "str 8" and no "bin" types, so that texts, bytes and times are all raw; a time is the 15 bytes of
 * its binary form; whole numbers take the fewest bytes.
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'

/** A record: its type, undefined for the header, and its value. */
export interface WrittenRecord {
  readonly type: number | undefined
  readonly value: Value
}

type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly Value[]
  | { readonly [key: string]: Value }

const HEADER: WrittenRecord = { type: undefined, value: { LastIndex: 4_711 } }

interface ArchiveParts {
  readonly state: Uint8Array
  readonly meta: Record<string, unknown>
  readonly sums: string
}

/** Encodes records, the header first. */
export function encodeState(records: readonly WrittenRecord[]): Uint8Array {
  return Buffer.concat(
    [HEADER, ...records].map(({ type, value }) =>
      Buffer.concat([Buffer.from(type === undefined ? [] : [type]), encode(value)]),
    ),
  )
}

/** An archive of the records. @param change parts to damage; sums are of what was given. */
export async function writeArchive(
  records: readonly WrittenRecord[],
  change: Partial<ArchiveParts> = {},
): Promise<Uint8Array> {
  const state = change.state ?? encodeState(records)
  const meta = {
    Version: 1,
    ID: '2-4711-1606000000000',
    Index: 4_711,
    Term: 2,
    Peers: 'ka4xMjcuMC4wLjE6ODMwMA==',
    Configuration: {
      Servers: ['a', 'b', 'c'].map((id) => ({ Suffrage: 0, ID: id, Address: `${id}.example:8300` })),
    },
    ConfigurationIndex: 1,
    Size: state.length,
    ...change.meta,
  }
  const metaText = `${JSON.stringify(meta)}\n`
  const sums = change.sums ?? `${sha256(metaText)}  meta.json\n${sha256(state)}  state.bin\n`
  return packFiles([
    ['meta.json', metaText],
    ['state.bin', state],
    ['SHA256SUMS', sums],
  ])
}

/** A gzip tar of any files. */
export async function packFiles(
  files: readonly (readonly [string, string | Uint8Array])[],
): Promise<Uint8Array> {
  const entries = files.map(([name, text]) => {
    const body = typeof text === 'string' ? new TextEncoder().encode(text) : text
    return { header: { name, size: body.length, mode: 0o600 }, body }
  })
  return gzipSync(await packTar(entries))
}

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A time as the codec writes it: version, seconds since year 1, nanoseconds, minutes of the zone (-1: UTC). */
export function time(seconds: bigint): Uint8Array {
  const bytes = Buffer.alloc(15)
  bytes[0] = 1
  bytes.writeBigInt64BE(seconds + 62_135_596_800n, 1)
  bytes.writeInt16BE(-1, 13)
  return bytes
}

function encode(value: Value): Uint8Array {
  if (value === null) return Uint8Array.of(0xc0)
  if (typeof value === 'boolean') return Uint8Array.of(value ? 0xc3 : 0xc2)
  if (typeof value === 'number') return encodeNumber(value)
  if (typeof value === 'bigint') return encodeUint64(value)
  if (typeof value === 'string') return encodeRaw(Buffer.from(value))
  if (value instanceof Uint8Array) return encodeRaw(value)
  if (Array.isArray(value)) return Buffer.concat([head(value.length, 0x90, 0xdc), ...value.map(encode)])
  const fields = Object.entries(value)
  return Buffer.concat([
    head(fields.length, 0x80, 0xde),
    ...fields.flatMap(([key, field]) => [encode(key), encode(field)]),
  ])
}

function encodeRaw(bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  if (length < 32) return Buffer.concat([Uint8Array.of(0xa0 | length), bytes])
  return Buffer.concat([wide(length, 0xda), bytes])
}

function encodeNumber(value: number): Uint8Array {
  if (!Number.isInteger(value)) {
    const bytes = Buffer.alloc(9)
    bytes[0] = 0xcb
    bytes.writeDoubleBE(value, 1)
    return bytes
  }
  if (value >= 0 && value < 128) return Uint8Array.of(value)
  if (value >= -32 && value < 0) return Uint8Array.of(256 + value)
  if (value < 0) {
    const bytes = Buffer.alloc(9)
    bytes[0] = 0xd3
    bytes.writeBigInt64BE(BigInt(value), 1)
    return bytes
  }
  if (value < 256) return Uint8Array.of(0xcc, value)
  if (value < 65_536) return Uint8Array.of(0xcd, value >> 8, value & 255)
  if (value < 2 ** 32) {
    const bytes = Buffer.alloc(5)
    bytes[0] = 0xce
    bytes.writeUInt32BE(value, 1)
    return bytes
  }
  return encodeUint64(BigInt(value))
}

function encodeUint64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(9)
  bytes[0] = 0xcf
  bytes.writeBigUInt64BE(value, 1)
  return bytes
}

function head(length: number, small: number, large: number): Uint8Array {
  return length < 16 ? Uint8Array.of(small | length) : wide(length, large)
}

/** A length of 16 bits, or of 32 with the next code. */
function wide(length: number, code: number): Uint8Array {
  if (length < 65_536) return Uint8Array.of(code, length >> 8, length & 255)
  const bytes = Buffer.alloc(5)
  bytes[0] = code + 1
  bytes.writeUInt32BE(length, 1)
  return bytes
}
