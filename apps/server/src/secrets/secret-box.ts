import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { assertRingOpens, type KeyRing, type Sealed } from './key-ring.ts'

/**
 * Protects secrets in the database: a keyed hash for lookup, and a ciphertext for answers that may show them.
 */
export interface SecretBox {
  /**
   * The lookup hash of a secret in hex: HMAC-SHA-256. Constant for the lifetime of the database. About 1.3 µs.
   */
  lookupHash(secret: string): string
  /** Encrypts a secret for the record with this id. */
  seal(secret: string, recordId: string): Sealed
  /** Decrypts the secret of a record. @throws KeyRingError */
  open(sealed: Sealed, recordId: string): string
  /** Re-encrypts a secret under the active key, for rotation. */
  rewrap(sealed: Sealed, recordId: string): Sealed
}

const LOOKUP_KEY_BYTES = 32
const LOOKUP_KEY_CONTEXT = 'latchkey/lookup-key'

/**
 * Creates the lookup key of a new database, sealed for storage. It never changes, so that hashes stay valid when the
 * keys of the ring rotate; only its wrapping does, see {@link rewrapLookupKey}.
 */
export function createLookupKey(ring: KeyRing): Sealed {
  return ring.seal(randomBytes(LOOKUP_KEY_BYTES), LOOKUP_KEY_CONTEXT)
}

/** Re-seals the lookup key with the active key of the ring. */
export function rewrapLookupKey(ring: KeyRing, wrapped: Sealed): Sealed {
  return ring.rewrap(wrapped, LOOKUP_KEY_CONTEXT)
}

/** @throws StartError if the ring does not open the lookup key: its keys belong to another database. */
export function createSecretBox(ring: KeyRing, wrappedLookupKey: Sealed): SecretBox {
  assertRingOpens(ring, [{ sealed: wrappedLookupKey, context: LOOKUP_KEY_CONTEXT }])
  // As a key object: passing bytes to OpenSSL each time costs six times as much.
  const lookupKey = createSecretKey(ring.open(wrappedLookupKey, LOOKUP_KEY_CONTEXT))
  return {
    lookupHash: (secret) => createHmac('sha256', lookupKey).update(secret).digest('hex'),
    seal: (secret, recordId) => ring.seal(Buffer.from(secret), contextOf(recordId)),
    open: (sealed, recordId) => ring.open(sealed, contextOf(recordId)).toString('utf8'),
    rewrap: (sealed, recordId) => ring.rewrap(sealed, contextOf(recordId)),
  }
}

/** The context that a record's secret is bound to, for {@link assertRingOpens}. */
export function contextOf(recordId: string): string {
  return `latchkey/secret/${recordId}`
}
