/** BLAKE2b-256 of texts. */
import { blake2b } from '@noble/hashes/blake2.js'

export const DIGEST_BYTES = 32

const ENCODER = new TextEncoder()

/** The digest of a text in UTF-8: 32 bytes, without a key. */
export function digestOf(text: string): Uint8Array {
  return blake2b(ENCODER.encode(text), { dkLen: DIGEST_BYTES })
}
