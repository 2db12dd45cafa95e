import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { assertRingOpens, type KeyRing, type Sealed } from './key-ring.ts'

/**
 * How secrets rest in the database: a keyed hash to find them by, and a ciphertext for the answers that may show them.
 * Design 4.
 */
export interface SecretBox {
  /**
   * The lookup hash of a secret: HMAC-SHA-256, 32 bytes. The same for equal secrets, for as long as the database lives.
   * About 1.5 µs.
   */
  lookupHash(secret: string): Buffer
  /** Encrypts a secret for the record with this id. */
  seal(secret: string, recordId: string): Sealed
  /** Decrypts the secret of a record. @throws KeyRingError */
  open(sealed: Sealed, recordId: string): string
  /** The same secret under the active key, for rotation. */
  rewrap(sealed: Sealed, recordId: string): Sealed
}

const LOOKUP_KEY_BYTES = 32
const LOOKUP_KEY_CONTEXT = 'latchkey/lookup-key'

/**
 * Makes the lookup key of a new database, to be stored as it is returned. It stays for good, so that hashes need not be
 * made anew when the keys of the ring change; only its wrapping does, see {@link rewrapLookupKey}.
 */
export function createLookupKey(ring: KeyRing): Sealed {
  return ring.seal(randomBytes(LOOKUP_KEY_BYTES), LOOKUP_KEY_CONTEXT)
}

/** The lookup key under the active key of the ring. */
export function rewrapLookupKey(ring: KeyRing, wrapped: Sealed): Sealed {
  return ring.rewrap(wrapped, LOOKUP_KEY_CONTEXT)
}

/** @throws StartError when the ring does not open the lookup key: these are not the keys of this database. */
export function createSecretBox(ring: KeyRing, wrappedLookupKey: Sealed): SecretBox {
  assertRingOpens(ring, [{ sealed: wrappedLookupKey, context: LOOKUP_KEY_CONTEXT }])
  // As a key object: handing OpenSSL the bytes each time costs six times as much.
  const lookupKey = createSecretKey(ring.open(wrappedLookupKey, LOOKUP_KEY_CONTEXT))
  return {
    lookupHash: (secret) => createHmac('sha256', lookupKey).update(secret).digest(),
    seal: (secret, recordId) => ring.seal(Buffer.from(secret), contextOf(recordId)),
    open: (sealed, recordId) => ring.open(sealed, contextOf(recordId)).toString('utf8'),
    rewrap: (sealed, recordId) => ring.rewrap(sealed, contextOf(recordId)),
  }
}

/** What a record's secret is bound to, for {@link assertRingOpens}. */
export function contextOf(recordId: string): string {
  return `latchkey/secret/${recordId}`
}
