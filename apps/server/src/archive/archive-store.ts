import pg from 'pg'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Membership } from '../storage/members/membership.ts'

/** What a backup and a restore need from this process's store. */
export interface ArchiveStore {
  readonly url: string
  readonly ring: KeyRing
  readonly secrets: SecretBox
  readonly datacenter: string
  readonly serviceVersion: string
  readonly membership: Pick<Membership, 'withoutLease' | 'endLeases'>
  readonly seenIndex: () => number
}

const CONNECT_MS = 2_000
/** Replacing a million rows takes minutes. */
const STATEMENT_MS_MAX = 900_000

/** Opens a separate connection: backup and restore take minutes, and the pool is for requests. The caller ends it. */
export async function connectForArchive(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'latchkey-archive',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS_MAX,
  })
  // The next statement reports a lost connection; without a listener, the event would end the process.
  client.on('error', () => {})
  await client.connect()
  return client
}
