import { randomBytes } from 'node:crypto'
import { type EncryptionKey, parseEncryptionKeys } from '../src/secrets/encryption-keys.ts'

/** A random key with this id. */
export function anEncryptionKey(id: string): EncryptionKey {
  const [key] = parseEncryptionKeys(`${id}:${randomBytes(32).toString('base64')}`)
  if (key === undefined) throw new TypeError('no key')
  return key
}
