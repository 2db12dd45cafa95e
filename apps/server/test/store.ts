import { randomBytes } from 'node:crypto'
import type { TokenRecord } from '@latchkey/acl'
import type { Change } from '@latchkey/service'
import { pino } from 'pino'
import { type ConnectOptions, connectDatabase } from '../src/database/connect.ts'
import { parseEncryptionKeys } from '../src/secrets/encryption-keys.ts'
import { createKeyRing, type KeyRing } from '../src/secrets/key-ring.ts'
import type { PostgresStore } from '../src/storage/open-store.ts'
import { type OpenStoreOptions, openStore } from '../src/storage/open-store.ts'
import { createTestDatabase, PATIENT } from './database.ts'
import { atEndOfFile } from './end-of-file.ts'

const keys = new Map<string, string>()

/** A key with an id, as in `LATCHKEY_ENCRYPTION_KEYS`; the same id gives the same key within a test file. */
export function testKey(id: string): string {
  const key = keys.get(id) ?? randomBytes(32).toString('base64')
  keys.set(id, key)
  return `${id}:${key}`
}

/** A ring of such keys; the first one is active. */
export function testRing(...ids: readonly string[]): KeyRing {
  return createKeyRing(parseEncryptionKeys(ids.map(testKey).join(',')))
}

const log = pino({ level: 'silent' })

interface TestStoreOptions extends Partial<OpenStoreOptions> {
  /** Default: a new database. */
  readonly url?: string
  /** Default: generous limits. */
  readonly limits?: ConnectOptions['limits']
}

/** Opens a store. After all tests of the file, it is closed and its database dropped. */
export async function openTestStore({
  url,
  limits = PATIENT,
  ...options
}: TestStoreOptions = {}): Promise<PostgresStore> {
  const databaseUrl = url ?? (await createTestDatabase()).url
  const database = connectDatabase({ url: databaseUrl, log, limits })
  const store = await openStore({
    database,
    url: databaseUrl,
    ring: testRing('test'),
    log,
    member: { datacenter: 'dc1', node: 'test', version: '1.11.0' },
    ...options,
  })
  const close = store.close.bind(store)
  let closed: Promise<void> | undefined
  store.close = (isForGood) => (closed ??= close(isForGood))
  atEndOfFile(async () => {
    // A test may have taken its database away.
    await store.close().catch(() => {})
    await database.close()
  })
  return store
}

/** A change that creates a token. */
export function putNew(record: TokenRecord): Change {
  return { table: 'tokens', op: 'put', record, expect: 0 }
}
