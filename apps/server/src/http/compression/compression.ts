import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import { Semaphore, type WireReply } from '@latchkey/service'
import Negotiator from 'negotiator'

/** Shorter bodies fit in a packet or two anyway. */
export const COMPRESSED_BYTES_MIN = 1_024
/** Maximum concurrent compressions. They run on threads that are shared with file access and name lookups. */
const AT_ONCE_MAX = 2

/** A brotli quality that is about as fast as gzip and compresses better. */
const BROTLI_QUALITY = 4
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }

/** The codings in the server's order of preference, fastest first. */
export const ENCODINGS = {
  zstd: { whole: promisify(zstdCompress), stream: () => createZstdCompress() },
  br: {
    whole: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, BROTLI),
    stream: () => createBrotliCompress(BROTLI),
  },
  gzip: { whole: (bytes: Uint8Array) => promisify(gzip)(bytes), stream: () => createGzip() },
} as const
export type Encoding = keyof typeof ENCODINGS

const PREFERRED = Object.keys(ENCODINGS) as Encoding[]

/** Missing from the library's types: the server's preference among codings that the client accepts equally. */
interface PreferringNegotiator {
  encoding(available: string[], options?: { readonly preferred: readonly string[] }): string | undefined
}

/**
 * @param available codings that the answer can have, in order of preference. Default: all that the server supports.
 * @returns `undefined` if the client accepts none of them, or prefers an uncompressed answer.
 */
export function encodingFor(
  acceptEncoding: string | undefined,
  available: readonly Encoding[] = PREFERRED,
): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const chosen = negotiator.encoding([...available, 'identity'], { preferred: available })
  return available.find((encoding) => encoding === chosen)
}

type Body = WireReply['body']
type Reply = Pick<WireReply, 'headers' | 'body'>
type Stream = AsyncIterable<Uint8Array | string>

export class Compression {
  /** By the source bytes, which caches share between answers. */
  private readonly made = new WeakMap<Uint8Array, Map<Encoding, Promise<Uint8Array>>>()
  private readonly running = new Semaphore(AT_ONCE_MAX)

  /** Whether a body may be compressed for some client, so that its answer depends on `Accept-Encoding`. */
  varies({ body, isCompressible }: Pick<WireReply, 'body' | 'isCompressible'>): boolean {
    return isCompressible === true && isLong(body)
  }

  /** Compresses a reply that {@link varies}, if the client accepts it and few others are compressed. */
  compress<R extends Reply>(reply: R, acceptEncoding: string | undefined): R | Promise<R> {
    const { body } = reply
    const encoding = encodingFor(acceptEncoding)
    if (encoding === undefined || body === undefined) return reply
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      const stream = this.stream(body, encoding)
      return stream ? encoded(reply, encoding, stream) : reply
    }
    const bytes = this.whole(body, encoding)
    return bytes ? bytes.then((whole) => encoded(reply, encoding, whole)) : reply
  }

  private whole(body: Uint8Array | string, encoding: Encoding): Promise<Uint8Array> | undefined {
    const known = typeof body === 'string' ? undefined : this.made.get(body)
    const before = known?.get(encoding)
    if (before) return before
    const release = this.running.tryAcquire()
    if (!release) return undefined
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const made = ENCODINGS[encoding]
      .whole(bytes)
      .catch((error: unknown) => {
        this.made.delete(bytes)
        throw error
      })
      .finally(release)
    if (known) known.set(encoding, made)
    else if (bytes === body) this.made.set(bytes, new Map([[encoding, made]]))
    return made
  }

  private stream(body: Stream, encoding: Encoding): AsyncIterable<Uint8Array> | undefined {
    const release = this.running.tryAcquire()
    if (!release) return undefined
    // One piece at a time: a piece is a page of records.
    const source = Readable.from(body, { highWaterMark: 1 })
    const encoder = ENCODINGS[encoding].stream()
    // An error of the source reaches the reader of the encoder.
    return pipeline(source, encoder, release)
  }
}

function isLong(body: Body): boolean {
  if (body === undefined) return false
  return typeof body === 'string' || body instanceof Uint8Array ? body.length >= COMPRESSED_BYTES_MIN : true
}

function encoded<R extends Reply>(reply: R, encoding: Encoding, body: Exclude<Body, undefined>): R {
  return { ...reply, headers: { ...reply.headers, 'Content-Encoding': encoding }, body }
}
