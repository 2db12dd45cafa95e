/** Locks and releases of keys. A lock is a conditional write: losing a race answers `false`. Decisions: sessions. */
import { isSameKey, type LockRequest, lockedKey, releasedKey } from '@latchkey/acl'
import { AclError, shorten } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { requireSessionId } from '../sessions.ts'
import { type Decision, decideAndCommitFor } from '../store/commit.ts'

/** `false` if another session holds the key, or a lock delay blocks it. */
export function lockKey(call: Call<'kv.write'>, request: LockRequest): Promise<Answer<'kv.write'>> {
  const { store } = call.service
  const { Namespace, Key, Session } = request
  if (Session === '') throw new AclError('id_missing', 'missing session', { field: 'acquire' })
  requireSessionId(Session, 'acquire')
  const refused: Decision<Answer<'kv.write'>> = { changes: [], answer: () => json(false) }
  return decideAndCommitFor(call, async () => {
    if (!store.catalog().sessions.get(Session)) {
      throw new AclError('session_unknown', `invalid session "${shorten(Session)}"`, { field: 'acquire' })
    }
    const existing = await store.kvEntry(Namespace, Key)
    const record = lockedKey(existing, request)
    if (!record) return refused
    if (isSameKey(existing, record)) return { changes: [], answer: () => json(true) }
    const isHeld = existing?.Session === Session
    if (!isHeld && (await store.sessionTimes.isDelayed(Namespace, Key))) return refused
    return {
      changes: [{ table: 'kv', op: 'put', record, expect: existing?.ModifyIndex ?? 0 }],
      answer: () => json(true),
    }
  })
}

/** `false` if the session does not hold the key, or does not exist. */
export function releaseKey(call: Call<'kv.write'>, request: LockRequest): Promise<Answer<'kv.write'>> {
  return decideAndCommitFor(call, async () => {
    const existing = await call.service.store.kvEntry(request.Namespace, request.Key)
    const record = releasedKey(existing, request)
    if (!record) return { changes: [], answer: () => json(false) }
    return {
      changes: [{ table: 'kv', op: 'put', record, expect: existing?.ModifyIndex }],
      answer: () => json(true),
    }
  })
}
