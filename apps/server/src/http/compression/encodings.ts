/** Content codings for answers, and which of them a client accepts. RFC 9110, 8.4.1 and 12.5.3. */
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
import Negotiator from 'negotiator'

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
