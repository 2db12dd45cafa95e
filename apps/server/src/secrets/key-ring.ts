import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { createRandom } from '../random.ts'
import { StartError } from '../start-error.ts'
import type { EncryptionKey } from './encryption-keys.ts'

/** Encrypted bytes: the id of the key, and nonce (12 bytes), ciphertext and tag (16 bytes) concatenated. */
export interface Sealed {
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** Keys by id. The active one seals; each opens what it sealed, so that keys rotate without downtime. */
export type KeyRing = ReturnType<typeof createKeyRing>

/** The id of a key, and an HMAC by it in base64. */
export interface Signature {
  readonly keyId: string
  readonly hmac: string
}

/** Sealed bytes cannot be opened. Names the id of the key; `isMissing` says whether the ring lacks it. */
export class KeyRingError extends Error {
  override readonly name = 'KeyRingError'
  readonly keyId: string
  readonly isMissing: boolean

  constructor(keyId: string, isMissing: boolean) {
    super(isMissing ? `there is no key ${keyId}` : `the key ${keyId} does not open it`)
    this.keyId = keyId
    this.isMissing = isMissing
  }
}

/** @returns undefined if something sealed cannot be opened: one broken row must not block the others. */
export function ifOpens<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof KeyRingError) return undefined
    throw error
  }
}

const ALGORITHM = 'aes-256-gcm'
/** Random: 96 bits allow about four thousand million seals per key (NIST SP 800-38D, 8.3). */
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HMAC_BYTES = 32
const OPTIONS = { authTagLength: TAG_BYTES }

/** @param keys at least one; the first becomes the active one. */
export function createKeyRing(keys: readonly EncryptionKey[]) {
  const [active] = keys
  if (active === undefined) throw new TypeError('a key ring needs a key')
  const random = createRandom()
  const byId = new Map(keys.map(({ id, key }) => [id, key]))

  /** Encrypts with AES-256-GCM. @param context where the result is stored: it cannot be opened elsewhere. */
  const seal = (plaintext: Uint8Array, context: string): Sealed => {
    const nonce = random.bytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, active.key, nonce, OPTIONS)
    cipher.setAAD(Buffer.from(context))
    const bytes = Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
    return { keyId: active.id, bytes }
  }

  /** Decrypts. @throws KeyRingError if the ring lacks the key or has a different one, or the bytes were changed. */
  const open = ({ keyId, bytes }: Sealed, context: string): Buffer => {
    const key = byId.get(keyId)
    if (key === undefined) throw new KeyRingError(keyId, true)
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new KeyRingError(keyId, false)
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), OPTIONS)
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const plaintext = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
    try {
      // Verifies the tag. In this mode, `final` returns no bytes.
      decipher.final()
    } catch {
      throw new KeyRingError(keyId, false)
    }
    return plaintext
  }

  const hmacOf = (key: KeyObject, text: string, context: string): Buffer =>
    createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', context, HMAC_BYTES)))
      .update(text)
      .digest()

  return {
    activeId: active.id,
    ids: [...byId.keys()],
    seal,
    open,
    problemOf(sealed: Sealed, context: string): KeyRingError | undefined {
      try {
        open(sealed, context)
        return undefined
      } catch (error) {
        if (error instanceof KeyRingError) return error
        throw error
      }
    },
    /** Re-encrypts under the active key; returns its input if that already uses the active key. */
    rewrap: (sealed: Sealed, context: string): Sealed =>
      sealed.keyId === active.id ? sealed : seal(open(sealed, context), context),
    /** Makes an HMAC (SHA-256) of a text, by a key derived from the active key for this context. */
    sign: (text: string, context: string): Signature => ({
      keyId: active.id,
      hmac: hmacOf(active.key, text, context).toString('base64'),
    }),
    /** Whether a text has not changed since it was signed. @throws KeyRingError if the ring lacks the key. */
    isSigned(text: string, { keyId, hmac }: Signature, context: string): boolean {
      const key = byId.get(keyId)
      if (key === undefined) throw new KeyRingError(keyId, true)
      const given = Buffer.from(hmac, 'base64')
      return given.length === HMAC_BYTES && timingSafeEqual(given, hmacOf(key, text, context))
    },
  }
}

export interface SealedSample {
  readonly sealed: Sealed
  readonly context: string
}

/** Checks a ring against the newest sample of each key id in use. @throws StartError that names all bad keys */
export function assertRingOpens(ring: KeyRing, samples: Iterable<SealedSample>): void {
  const problems = Array.from(samples, ({ sealed, context }) => ring.problemOf(sealed, context)).flatMap(
    (error) =>
      error
        ? `  ${error.keyId}: it ${error.isMissing ? 'is missing' : 'differs from the key used before'}`
        : [],
  )
  if (problems.length === 0) return
  throw new StartError(
    'The encryption keys do not open the data in the database:\n' +
      `${[...new Set(problems)].join('\n')}\n` +
      `The server was given: ${ring.ids.join(', ')}.\n` +
      'Give it the keys that sealed the data, in LATCHKEY_ENCRYPTION_KEYS or <data directory>/encryption.keys.',
  )
}
