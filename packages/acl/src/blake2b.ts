/** BLAKE2b-256 of texts: in JavaScript, unless the process has a faster implementation. */
import { blake2b } from '@noble/hashes/blake2.js'

export const DIGEST_BYTES = 32

/** BLAKE2b of bytes, without a key, to 32 bytes. */
export type Blake2b = (bytes: Uint8Array) => Uint8Array

const ENCODER = new TextEncoder()

const inJavaScript: Blake2b = (bytes) => blake2b(bytes, { dkLen: DIGEST_BYTES })
let digest = inJavaScript

/** The digest of a text in UTF-8: 32 bytes. */
export function digestOf(text: string): Uint8Array {
  return digest(ENCODER.encode(text))
}

/**
 * Makes this process compute all further digests with another implementation.
 *
 * @throws TypeError if its digests differ.
 */
export function useBlake2b(other: Blake2b): void {
  // Lengths below, at and above block boundaries.
  for (const length of [0, 3, 128, 256, 300]) {
    const sample = Uint8Array.from({ length }, (_, i) => i)
    const [expected, actual] = [inJavaScript(sample), other(sample)]
    if (actual.length !== DIGEST_BYTES || expected.some((byte, i) => byte !== actual[i]))
      throw new TypeError('this implementation of BLAKE2b-256 gives other digests')
  }
  digest = other
}
