import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { assertRingOpens, type KeyRing, type Sealed } from './key-ring.ts'

/** Protects secrets in the database: a hash for lookup, a ciphertext for answers that may show them. */
export type SecretBox = ReturnType<typeof createSecretBox>

const LOOKUP_KEY_BYTES = 32
const LOOKUP_KEY_CONTEXT = 'latchkey/lookup-key'

/** It never changes, so that hashes stay valid when the keys of the ring rotate; only its wrapping does. */
export function createLookupKey(ring: KeyRing): Sealed {
  return ring.seal(randomBytes(LOOKUP_KEY_BYTES), LOOKUP_KEY_CONTEXT)
}

export function rewrapLookupKey(ring: KeyRing, wrapped: Sealed): Sealed {
  return ring.rewrap(wrapped, LOOKUP_KEY_CONTEXT)
}

/** @throws StartError if the ring does not open the lookup key: its keys belong to another database. */
export function createSecretBox(ring: KeyRing, wrappedLookupKey: Sealed) {
  assertRingOpens(ring, [{ sealed: wrappedLookupKey, context: LOOKUP_KEY_CONTEXT }])
  // As a key object: passing bytes to OpenSSL each time costs six times as much.
  const lookupKey = createSecretKey(ring.open(wrappedLookupKey, LOOKUP_KEY_CONTEXT))
  return {
    /** HMAC-SHA-256 in hex, constant for the lifetime of the database. About 1.3 µs. */
    lookupHash: (secret: string) => createHmac('sha256', lookupKey).update(secret).digest('hex'),
    seal: (secret: string, recordId: string) => ring.seal(Buffer.from(secret), contextOf(recordId)),
    open: (sealed: Sealed, recordId: string) => ring.open(sealed, contextOf(recordId)).toString('utf8'),
    rewrap: (sealed: Sealed, recordId: string) => ring.rewrap(sealed, contextOf(recordId)),
  }
}

/** The context that a record's secret is bound to, for {@link assertRingOpens}. */
export function contextOf(recordId: string): string {
  return `latchkey/secret/${recordId}`
}
