import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openDataDirectory } from '../data-directory.ts'
import { readOrCreateSecretFile } from '../durable-file.ts'
import { StartError } from '../start-error.ts'

/** One AES-256 key. Rows remember the id of the key that sealed them. */
export interface EncryptionKey {
  readonly id: string
  /** Not a buffer, so that logging a ring shows no key. */
  readonly key: KeyObject
}

const KEY_BYTES = 32
const ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Parses `id:base64` keys between commas or lines, without lines that begin with `#`. The first key is the active one.
 * @throws StartError that names the bad part by its position and id, never by its key.
 */
export function parseEncryptionKeys(text: string): readonly EncryptionKey[] {
  const parts = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length === 0) throw new StartError('there is no key')
  const keys = parts.map((part, index) => parseKey(part, index + 1))
  const twice = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index)
  if (twice !== undefined) throw new StartError(`the key id ${twice.id} appears twice`)
  return keys
}

function parseKey(part: string, position: number): EncryptionKey {
  const colon = part.indexOf(':')
  const id = part.slice(0, colon)
  // The text before the first colon may be a key that lost its id, so a bad id is not shown.
  if (colon < 0 || !ID_PATTERN.test(id))
    throw new StartError(`key ${position} does not begin with an id and a colon`)
  const encoded = part.slice(colon + 1)
  const bytes = Buffer.from(encoded, 'base64')
  const isBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/.test(encoded)
  if (!isBase64 || bytes.length !== KEY_BYTES) {
    throw new StartError(`key ${position} (${id}) is not ${KEY_BYTES} bytes in base64`)
  }
  return { id, key: createSecretKey(bytes) }
}

/**
 * The keys in the data directory, created at the first start. The database and this file together reveal every secret.
 */
export async function loadKeyFile(dataDir: string): Promise<readonly EncryptionKey[]> {
  const path = join(openDataDirectory(dataDir), 'encryption.keys')
  const text = await readOrCreateSecretFile(path, () => {
    const id = `key-${randomBytes(4).toString('hex')}`
    return [
      '# Encrypts the secrets in the database. Without this file they are lost: back it up, separately from the database.',
      '# To rotate keys, add a new line at the top; remove an old one once the log says that it seals nothing any more.',
      `${id}:${randomBytes(KEY_BYTES).toString('base64')}`,
      '',
    ].join('\n')
  })
  try {
    return parseEncryptionKeys(text)
  } catch (error) {
    if (error instanceof StartError) throw new StartError(`${path}: ${error.message}`)
    throw error
  }
}
