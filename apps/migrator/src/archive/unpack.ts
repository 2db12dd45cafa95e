/** Unpacks a snapshot archive, a gzip tar of three files, as a stream: nothing on disk, sizes limited. */
import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { createGunzip } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import * as z from 'zod'
import { ArchiveError } from './state.ts'

const GIB = 1024 ** 3
/** The ratio of unpacked to packed bytes is checked after `ratioFromBytes`. */
export const ARCHIVE_LIMITS = { bytesMax: 64 * GIB, ratioMax: 250, ratioFromBytes: GIB / 4 }

const SMALL_FILE_BYTES_MAX = 1024 * 1024
const NAMES = ['meta.json', 'state.bin', 'SHA256SUMS'] as const
type Name = (typeof NAMES)[number]
const HASHED = ['meta.json', 'state.bin'] as const
const NAME_LENGTH_MAX = 80

const metaSchema = z.object({ Size: z.number().optional() })

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** Yields the bytes of `state.bin`, and verifies every checksum at the end: if this throws, discard them. */
export async function* unpackArchive(
  packed: AsyncIterable<Uint8Array>,
  limits = ARCHIVE_LIMITS,
): AsyncGenerator<Uint8Array, void> {
  const hashes = new Map<Name, Hash>()
  const texts = new Map<Name, string>()
  let stateBytes = 0
  const entries = ReadableStream.from(unzip(packed, limits)).pipeThrough(createTarDecoder({ strict: true }))
  try {
    for await (const entry of entries) {
      const name = nameOf(entry)
      if (hashes.has(name)) throw new ArchiveError(`${name} is in the archive twice`)
      const hash = createHash('sha256')
      hashes.set(name, hash)
      if (name === 'state.bin') {
        for await (const chunk of entry.body) {
          hash.update(chunk)
          stateBytes += chunk.length
          yield chunk
        }
      } else {
        const bytes = await readSmall(name, entry)
        hash.update(bytes)
        texts.set(name, bytes.toString('utf8'))
      }
    }
  } catch (error) {
    throw toArchiveError(error, hashes.size === 0)
  }
  const missing = NAMES.find((name) => !hashes.has(name))
  if (missing !== undefined) throw new ArchiveError(`${missing} is missing from the archive`)
  checkSums(texts.get('SHA256SUMS') ?? '', hashes)
  const size = sizeIn(texts.get('meta.json') ?? '')
  if (size !== undefined && size !== stateBytes) {
    throw new ArchiveError(`state.bin has ${stateBytes} bytes, but meta.json says ${size}`)
  }
}

/** Fails as soon as a limit is exceeded, before the rest is unpacked. */
async function* unzip(
  packed: AsyncIterable<Uint8Array>,
  limits: typeof ARCHIVE_LIMITS,
): AsyncGenerator<Uint8Array> {
  let packedBytes = 0
  let bytes = 0
  const counted = async function* () {
    for await (const chunk of packed) {
      packedBytes += chunk.length
      yield chunk
    }
  }
  for await (const chunk of gunzip(counted())) {
    bytes += chunk.length
    if (bytes > limits.bytesMax)
      throw new ArchiveError(`the archive unpacks to more than ${limits.bytesMax} bytes`)
    if (bytes > limits.ratioFromBytes && bytes > packedBytes * limits.ratioMax) {
      throw new ArchiveError(
        `the archive unpacks to more than ${limits.ratioMax} times its size: it is no snapshot of the legacy service`,
      )
    }
    yield chunk
  }
}

/** Unpacks a stream without limits. */
export async function* gunzip(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed, { objectMode: false })
  const unpacking = createGunzip()
  source.on('error', (error) => unpacking.destroy(error))
  try {
    yield* source.pipe(unpacking)
  } finally {
    source.destroy()
    unpacking.destroy()
  }
}

function nameOf({ header }: ParsedTarEntry): Name {
  const name = NAMES.find((each) => each === header.name.replace(/^\.\//, ''))
  if (name !== undefined && (header.type ?? 'file') === 'file') return name
  const shown = JSON.stringify(header.name.slice(0, NAME_LENGTH_MAX))
  if (name !== undefined) throw new ArchiveError(`${name} is not a regular file in the archive`)
  if (/^[/\\]|(^|[/\\])\.\.([/\\]|$)/.test(header.name)) {
    throw new ArchiveError(`the archive holds a path that leaves it, ${shown}: it was tampered with`)
  }
  throw new ArchiveError(
    `the archive holds an unexpected file, ${shown}: it is no snapshot of the legacy service`,
  )
}

async function readSmall(name: Name, entry: ParsedTarEntry): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of entry.body) {
    length += chunk.length
    if (length > SMALL_FILE_BYTES_MAX) {
      throw new ArchiveError(`${name} is larger than ${SMALL_FILE_BYTES_MAX} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function checkSums(text: string, hashes: ReadonlyMap<Name, Hash>): void {
  const sums = new Map<string, string>()
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, sum, name] = /^([0-9a-fA-F]{64}) [ *](?:\.\/)?(\S+)$/.exec(line.trimEnd()) ?? []
    if (sum === undefined || name === undefined)
      throw new ArchiveError('SHA256SUMS has a line that is no checksum')
    sums.set(name, sum.toLowerCase())
  }
  for (const name of HASHED) {
    const sum = sums.get(name)
    if (sum === undefined) throw new ArchiveError(`SHA256SUMS has no checksum of ${name}`)
    if (sum !== hashes.get(name)?.digest('hex')) {
      throw new ArchiveError(`the checksum of ${name} is wrong: the archive is damaged`)
    }
  }
}

function sizeIn(text: string): number | undefined {
  try {
    return metaSchema.parse(JSON.parse(text)).Size
  } catch (cause) {
    throw new ArchiveError('meta.json does not describe a snapshot', { cause })
  }
}

function toArchiveError(error: unknown, isFirstEntry: boolean): unknown {
  if (error instanceof ArchiveError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'Z_BUF_ERROR') return new ArchiveError('the archive is cut off', { cause: error })
  if (code.startsWith('Z_'))
    return new ArchiveError('the archive is damaged: gzip cannot unpack it', { cause: error })
  if (code !== '') return error
  if (isFirstEntry) {
    return new ArchiveError(
      'this gzip file is not a snapshot archive (a tar of meta.json, state.bin and SHA256SUMS); if it holds a JSON list, decompress it first',
      { cause: error },
    )
  }
  return new ArchiveError(
    /truncated/i.test(error.message)
      ? 'the archive is cut off'
      : 'the archive is damaged: its tar structure is broken',
    { cause: error },
  )
}
