/** Compresses answers for clients that accept it. Decisions: compression. */
import { pipeline, Readable } from 'node:stream'
import type { WireReply } from '@latchkey/service'
import { ENCODINGS, type Encoding, encodingFor } from './encodings.ts'

/** Shorter bodies fit in a packet or two anyway. */
export const COMPRESSED_BYTES_MIN = 1_024
/** Maximum concurrent compressions. They run on threads that are shared with file access and name lookups. */
const AT_ONCE_MAX = 2

type Body = WireReply['body']
type Reply = Pick<WireReply, 'headers' | 'body'>
type Stream = AsyncIterable<Uint8Array | string>

export class Compression {
  /** By the source bytes, which caches share between answers. */
  private readonly made = new WeakMap<Uint8Array, Map<Encoding, Promise<Uint8Array>>>()
  private running = 0

  /** Whether a body may be compressed for some client, so that its answer depends on `Accept-Encoding`. */
  varies({ body, isCompressible }: Pick<WireReply, 'body' | 'isCompressible'>): boolean {
    return isCompressible === true && isLong(body)
  }

  /**
   * Compresses the reply if the client accepts it. While too many other compressions run, returns it unchanged.
   *
   * @param reply one that {@link varies}.
   */
  compress<R extends Reply>(reply: R, acceptEncoding: string | undefined): R | Promise<R> {
    const { body } = reply
    const encoding = encodingFor(acceptEncoding)
    if (encoding === undefined || body === undefined) return reply
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
      return this.running < AT_ONCE_MAX ? encoded(reply, encoding, this.stream(body, encoding)) : reply
    }
    const bytes = this.whole(body, encoding)
    return bytes ? bytes.then((whole) => encoded(reply, encoding, whole)) : reply
  }

  private whole(body: Uint8Array | string, encoding: Encoding): Promise<Uint8Array> | undefined {
    const known = typeof body === 'string' ? undefined : this.made.get(body)
    const before = known?.get(encoding)
    if (before || this.running >= AT_ONCE_MAX) return before
    this.running += 1
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const made = ENCODINGS[encoding]
      .whole(bytes)
      .catch((error: unknown) => {
        this.made.delete(bytes)
        throw error
      })
      .finally(() => {
        this.running -= 1
      })
    if (known) known.set(encoding, made)
    else if (bytes === body) this.made.set(bytes, new Map([[encoding, made]]))
    return made
  }

  private stream(body: Stream, encoding: Encoding): AsyncIterable<Uint8Array> {
    this.running += 1
    // One piece at a time: a piece is a page of records.
    const source = Readable.from(body, { highWaterMark: 1 })
    const encoder = ENCODINGS[encoding].stream()
    // An error of the source reaches the reader of the encoder.
    return pipeline(source, encoder, () => {
      this.running -= 1
    })
  }
}

function isLong(body: Body): boolean {
  if (body === undefined) return false
  return typeof body === 'string' || body instanceof Uint8Array ? body.length >= COMPRESSED_BYTES_MIN : true
}

function encoded<R extends Reply>(reply: R, encoding: Encoding, body: Exclude<Body, undefined>): R {
  return { ...reply, headers: { ...reply.headers, 'Content-Encoding': encoding }, body }
}
