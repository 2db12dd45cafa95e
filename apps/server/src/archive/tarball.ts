/**
 * The form in which other services of this API store their snapshots, around an archive: a compressed tar file of `meta.json`,
 * `state.bin` (the archive) and `SHA256SUMS`. Their command line verifies it. Decisions: backup.
 */
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { createGunzip, createGzip, type Gzip } from 'node:zlib'
import { AclError } from '@latchkey/contract'
import { createTarDecoder } from 'modern-tar'
import { packTar } from 'modern-tar/fs'
import { hashOf } from './format.ts'
import { damaged } from './piece-reader.ts'

const STATE = 'state.bin'
/** Their servers accept 0 and 1, so one that gets such a tarball refuses it instead of reading our archive as its own state. */
const META_VERSION = 100

/** @param archive of exactly `size` bytes. */
export function tarballOf(
  archive: AsyncIterable<Uint8Array>,
  { index, size, now }: { readonly index: number; readonly size: number; readonly now: number },
): Gzip {
  const meta = `${JSON.stringify({
    ...{ Version: META_VERSION, ID: `1-${index}-${now}`, Index: index, Term: 1, Peers: null },
    ...{ Configuration: { Servers: [] }, ConfigurationIndex: 0, Size: size },
  })}\n`
  const hash = createHash('sha256')
  const sumsWith = (sum: string) => `${hashOf(meta)}  meta.json\n${sum}  ${STATE}\n`
  async function* hashed() {
    for await (const piece of archive) {
      hash.update(piece)
      yield piece
    }
  }
  /** Read once the state is written. */
  function* sums() {
    yield Buffer.from(sumsWith(hash.digest('hex')))
  }
  const file = { mode: 0o600, mtime: new Date(now) }
  const tar = packTar([
    { ...file, type: 'content', target: 'meta.json', content: meta },
    { ...file, type: 'stream', target: STATE, content: Readable.from(hashed()), size },
    {
      ...{ ...file, type: 'stream', target: 'SHA256SUMS' },
      ...{ content: Readable.from(sums()), size: sumsWith('0'.repeat(64)).length },
    },
  ])
  // Not compressed again: the parts of an archive are.
  const gzip = createGzip({ level: 0 })
  pipeline(tar, gzip, () => {})
  return gzip
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
  try {
    const files = ReadableStream.from<Uint8Array>(gunzip).pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of files) {
      let isFirst = true
      for await (const piece of body) {
        if (header.name !== STATE) continue
        if (isFirst) requireArchive(piece)
        isFirst = false
        yield piece
      }
    }
  } catch (error) {
    throw error instanceof AclError ? error : damaged('its tarball cannot be read', error)
  } finally {
    gunzip.destroy()
  }
}

/** The state of other services is MessagePack, which begins with a map. */
function requireArchive(state: Uint8Array): void {
  if (((state[0] ?? 0) & 0xf0) !== 0x80) return
  const message =
    'The archive is not for this server: it has the state of another implementation of this API. ' +
    'To move its tokens, policies, roles, auth methods and binding rules here, run it and use: latchkey import --from URL'
  throw new AclError('snapshot_refused', message)
}
