/**
 * The form in which other services of this API store their snapshots, around an archive: a compressed tar file of `meta.json`,
 * `state.bin` (the archive) and `SHA256SUMS`. Their command line verifies it. Decisions: backup.
 */
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip, type Gzip } from 'node:zlib'
import { AclError } from '@latchkey/contract'
import { hashOf } from './format.ts'
import { damaged, PieceReader } from './piece-reader.ts'

const BLOCK_BYTES = 512
const PIECE_BYTES = 65_536
const STATE = 'state.bin'
/** Their servers accept 0 and 1, so one that gets such a tarball refuses it instead of reading our archive as its own state. */
const META_VERSION = 100
/** The largest size in octal digits. A larger one is a binary number with the highest bit set. */
const OCTAL_SIZE_MAX = 0o77777777777

/** @param archive of exactly `size` bytes. */
export function tarballOf(
  archive: AsyncIterable<Uint8Array>,
  { index, size, now }: { readonly index: number; readonly size: number; readonly now: number },
): Gzip {
  // Not compressed again: the parts of an archive are.
  const gzip = createGzip({ level: 0 })
  pipeline(Readable.from(entries(archive, { index, size, now })), gzip, () => {})
  return gzip
}

async function* entries(
  archive: AsyncIterable<Uint8Array>,
  { index, size, now }: { readonly index: number; readonly size: number; readonly now: number },
): AsyncGenerator<Uint8Array> {
  const meta = Buffer.from(
    `${JSON.stringify({
      ...{ Version: META_VERSION, ID: `1-${index}-${now}`, Index: index, Term: 1, Peers: null },
      ...{ Configuration: { Servers: [] }, ConfigurationIndex: 0, Size: size },
    })}\n`,
  )
  yield* entry('meta.json', meta, now)
  yield headerOf(STATE, size, now)
  const hash = createHash('sha256')
  for await (const piece of archive) {
    hash.update(piece)
    yield piece
  }
  yield padding(size)
  yield* entry('SHA256SUMS', `${hashOf(meta)}  meta.json\n${hash.digest('hex')}  ${STATE}\n`, now)
  yield Buffer.alloc(2 * BLOCK_BYTES)
}

function* entry(name: string, text: string | Uint8Array, now: number): Generator<Uint8Array> {
  const content = Buffer.from(text)
  yield headerOf(name, content.length, now)
  yield content
  yield padding(content.length)
}

function headerOf(name: string, size: number, now: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, at: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, '0'), at)
  header.write(name)
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  if (size <= OCTAL_SIZE_MAX) octal(size, 124, 12)
  else {
    header.writeUInt8(0x80, 124)
    header.writeBigUInt64BE(BigInt(size), 128)
  }
  octal(Math.floor(now / 1_000), 136, 12)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  return header
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES)
}

/**
 * The archive in a tarball, or the same bytes if they are none. The checksum of the compression covers the other files.
 * @throws AclError `snapshot_invalid`; `snapshot_refused` for the state of another service.
 */
export async function* unwrapped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (first.done) return
  const rest = (async function* () {
    yield first.value
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value
  })()
  // The first byte of gzip; a line of an archive begins with a hexadecimal digit.
  yield* first.value[0] === 0x1f ? stateOf(rest) : rest
}

async function* stateOf(tarball: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  pipeline(Readable.from(tarball), gunzip, () => {})
  const reader = new PieceReader(gunzip)
  try {
    for (;;) {
      const header = await reader.bytes(BLOCK_BYTES, 'a header of the tarball')
      const name = header.toString('latin1', 0, header.indexOf(0))
      if (name === '') return await reader.skip()
      const size = sizeIn(header)
      for (let left = size; left > 0; left -= PIECE_BYTES) {
        const piece = await reader.bytes(Math.min(left, PIECE_BYTES), name)
        if (name !== STATE) continue
        if (left === size) requireArchive(piece)
        yield piece
      }
      await reader.bytes(padding(size).length, name)
    }
  } catch (error) {
    throw error instanceof AclError ? error : damaged('its tarball cannot be decompressed', error)
  } finally {
    gunzip.destroy()
  }
}

function sizeIn(header: Buffer): number {
  const isBinary = header.readUInt8(124) >= 0x80
  const size = isBinary
    ? Number(header.readBigUInt64BE(128))
    : Number.parseInt(header.toString('latin1', 124, 135), 8)
  if (Number.isSafeInteger(size)) return size
  throw damaged('a header of its tarball has no size')
}

/** The state of other services is MessagePack, which begins with a map. */
function requireArchive(state: Buffer): void {
  if (((state[0] ?? 0) & 0xf0) !== 0x80) return
  const message =
    'The archive is not for this server: it has the state of another implementation of this API. ' +
    'To move its tokens, policies, roles, auth methods and binding rules here, run it and use: latchkey import --from URL'
  throw new AclError('snapshot_refused', message)
}
