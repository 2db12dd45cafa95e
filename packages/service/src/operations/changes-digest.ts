import type { DigestedKind, RecordDigest } from '@latchkey/acl'
import { invariant } from '@latchkey/contract'
import { secretsSeen } from '../caller/authority.ts'
import { globalManagementMissing } from '../caller/caller.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { digestOf } from '../replication/digest.ts'
import { REPLICATED_TABLES, type StoreChanges } from '../store/replicated.ts'
import { takeTurn } from '../turns.ts'

type DigestCall = Call<'operations.changesDigest'>

/**
 * Answers a digest of the records that `changesHandler` shows, from one snapshot. Computes one digest at a time.
 *
 * @throws AclError `privilege_missing`: guesses of a short secret could be tested against the digest, so it is only for
 *   callers that see every secret anyway.
 */
export function changesDigestHandler(
  call: Call<'operations.changesDigest'>,
): Promise<Answer<'operations.changesDigest'>> {
  if (secretsSeen(call) !== 'all') throw globalManagementMissing(call.caller)
  return call.digests.run(() => answer(call), call)
}

function answer(call: DigestCall): Promise<Answer<'operations.changesDigest'>> {
  const { service, directory, query } = call
  const cluster = directory.system('cluster')
  invariant(cluster, 'the start writes the id of the cluster')
  return service.store.replicatedSnapshot(async ({ index, pages }) => {
    const of = {
      Cluster: cluster.Value.ID,
      Datacenter: service.datacenter,
      Index: index,
    }
    const isSame = query.at === undefined || isUnchanged(await service.store.changesAfter(query.at))
    if (!isSame) return json({ ...of, Changed: true as const })
    const { digest, leftOut } = await digestOf(pages, () => takeTurn(call))
    const kinds = {
      Namespaces: show(digest, 'namespaces'),
      Policies: show(digest, 'policies'),
      Roles: show(digest, 'roles'),
      Tokens: show(digest, 'tokens'),
    }
    return json({ ...of, ...kinds, ...(leftOut > 0 ? { LeftOut: leftOut } : {}) })
  })
}

/** Read after the snapshot was taken: if nothing has changed by now, nothing had changed then. */
function isUnchanged(changes: StoreChanges | undefined): boolean {
  return (
    changes !== undefined &&
    REPLICATED_TABLES.every((table) => changes[table].length === 0 && changes.deleted[table].length === 0)
  )
}

function show(digest: RecordDigest, kind: DigestedKind): { Count: number; Hash: string } {
  const { count, hash } = digest.of(kind)
  return { Count: count, Hash: hash }
}
