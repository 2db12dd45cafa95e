import { AclError, isReferenceFamily } from '@latchkey/contract'
import { requireAll } from './caller/authority.ts'
import { type Context, type Handler, json } from './handler.ts'
import type { Archives } from './options.ts'

/**
 * An archive of the whole store. It queries the database first, because a stream that has begun can no longer be refused.
 * Clients of another service of this API verify what they receive, so they get its form. Decisions: backup.
 */
export const readSnapshotHandler: Handler<'snapshots.read'> = async (call) => {
  const archives = requireArchives(call)
  await call.service.store.refresh('consistent')
  if (isReferenceFamily(call.family.prefix)) {
    const { index, pieces } = await archives.readTarball(call.signal)
    const body = { kind: 'byte-stream', contentType: 'application/x-gzip', pieces } as const
    return { body, headers: { index: String(index), knownLeader: 'true', lastContact: '0' } }
  }
  return { body: { kind: 'byte-stream', pieces: archives.read() } }
}

export const restoreSnapshotHandler: Handler<'snapshots.restore'> = async (call) => {
  const isUnauthenticated = call.query.unauthenticated === true
  return json(await requireArchives(call).restore(call.body, { isUnauthenticated }))
}

/**
 * The archives of the store, for a caller that may see and replace everything in it.
 * @throws AclError `privilege_missing`; `endpoint_not_built` if the store cannot be archived.
 */
function requireArchives(call: Context): Archives {
  requireAll(call)
  const { archives } = call.service
  if (archives === undefined) throw new AclError('endpoint_not_built', 'This store cannot be archived')
  return archives
}
