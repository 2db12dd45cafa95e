import { AclError } from '@latchkey/contract'
import { isOfLastBeforeRelease, migrationNames } from '../database/schema/migrate.ts'
import { SAMPLE_CONTEXT } from '../storage/keys/open-secrets.ts'
import type { ArchiveStore } from './archive-store.ts'
import { ARCHIVED_TABLES, type ArchiveEnd, type ArchiveHeader, SIGNATURE_CONTEXT } from './format.ts'
import { damaged } from './piece-reader.ts'

/** Checks from its header that an archive is for this server. @throws AclError `snapshot_refused` */
export function requireSuitable(header: ArchiveHeader, store: ArchiveStore): void {
  const unknown = unknownOf(header.migrations)
  if (unknown !== undefined && !isOfLastBeforeRelease(header.migrations)) {
    throw refused(
      `it was made by Latchkey ${header.product}, whose migration ${unknown} this version does not know: use that version or a later one`,
    )
  }
  const table = Object.keys(header.tables).find((name) => !ARCHIVED_TABLES.some((known) => known === name))
  if (table !== undefined)
    throw new AclError('snapshot_invalid', `The archive has the unknown table ${table}`)
  if (header.datacenter !== store.datacenter) {
    throw refused(
      `it is of the datacenter "${header.datacenter}", and this server is of "${store.datacenter}"`,
    )
  }
  if (header.serviceVersion !== store.serviceVersion) {
    throw refused(
      `it is of service version ${header.serviceVersion}, and this server is ${store.serviceVersion}: ` +
        `restore with LATCHKEY_SERVICE_VERSION=${header.serviceVersion}, then upgrade`,
    )
  }
  requireKeys(header, store)
}

/** Checks that every key opens its sample, so that a wrong key is found before anything is read. */
function requireKeys({ keys }: ArchiveHeader, { ring }: ArchiveStore): void {
  const samples = keys.map(({ id, sample }) => ({ keyId: id, bytes: Buffer.from(sample, 'base64') }))
  const problems = samples.flatMap((sealed) => {
    const error = ring.problemOf(sealed, SAMPLE_CONTEXT)
    return error ? `the key ${error.keyId} is ${error.isMissing ? 'missing here' : 'another one here'}` : []
  })
  if (problems.length === 0) return
  throw refused(
    `${problems.join(', ')}; this server has ${ring.ids.join(', ')}: add the keys of the archive to LATCHKEY_ENCRYPTION_KEYS or encryption.keys, after the first one`,
  )
}

/**
 * Checks that a server with these keys made the archive, and that nobody has changed it since.
 * @param isUnauthenticated whether the caller vouches for an archive without an HMAC.
 */
export function requireAuthentic(
  { sha256, signature }: ArchiveEnd,
  { ring }: Pick<ArchiveStore, 'ring'>,
  isUnauthenticated: boolean,
): void {
  if (signature === undefined) {
    if (isUnauthenticated) return
    throw refused(
      'it has no HMAC, so anyone may have changed it and given new rights. Archives made before HMACs were added have none: ' +
        'if you trust the place where it was kept, restore it with --unauthenticated (?unauthenticated over HTTP)',
    )
  }
  if (!ring.ids.includes(signature.keyId)) {
    throw refused(
      `its HMAC is by the key ${signature.keyId}, and this server has ${ring.ids.join(', ')}: add that key after the first one`,
    )
  }
  if (!ring.isSigned(sha256, signature, SIGNATURE_CONTEXT))
    throw damaged(`it was changed after it was made: its HMAC is not by the key ${signature.keyId}`)
}

/** A server that does not know the whole schema would leave something out. @throws AclError `unavailable` */
export function requireKnownSchema(applied: readonly string[]): void {
  const unknown = unknownOf(applied)
  if (unknown === undefined) return
  const message = `A newer Latchkey has migrated the database (${unknown}): only a server of that version can back up and restore`
  throw new AclError('unavailable', message, { headers: { 'Retry-After': '10' } })
}

function unknownOf(migrations: readonly string[]): string | undefined {
  const known = migrationNames()
  return migrations.find((name) => !known.includes(name))
}

export function refused(reason: string): AclError {
  return new AclError('snapshot_refused', `The archive is not for this server: ${reason}`)
}
