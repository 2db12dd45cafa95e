import { isSameKey, type KvRecord, type LockRequest } from '@latchkey/acl'
import { AclError, shorten } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireKey, requireKeyRight } from './key.ts'
import { lockKey, releaseKey } from './lock.ts'

/** `true`, or `false` if `cas`, `acquire` or `release` does not hold. Spec 5.4. */
export function writeKvHandler(call: Call<'kv.write'>): Promise<Answer<'kv.write'>> {
  const { body, namespace, query } = call
  const key = requireKey(call.params)
  refuseConflicts(query)
  requireKeyRight(call, key, 'write')
  const { flags: Flags = 0n, cas, acquire, release } = query
  const request = { Namespace: namespace, Key: key, Flags, Value: body }
  if (acquire !== undefined) return lockKey(call, bySession(request, acquire))
  if (release !== undefined) return releaseKey(call, bySession(request, release))
  const { store } = call.service
  return decideAndCommitFor(call, async () => {
    const existing = await store.kvEntry(namespace, key)
    const index = existing?.ModifyIndex ?? 0
    if (cas !== undefined && cas !== index) return { changes: [], answer: () => json(false) }
    const record: KvRecord = {
      ...request,
      LockIndex: existing?.LockIndex ?? 0,
      ...(existing?.Session === undefined ? {} : { Session: existing.Session }),
      CreateIndex: existing?.CreateIndex ?? 0,
      ModifyIndex: 0,
    }
    if (isSameKey(existing, record)) return { changes: [], answer: () => json(true) }
    return {
      changes: [{ table: 'kv', op: 'put', record, expect: cas === undefined ? undefined : index }],
      answer: () => json(true),
    }
  })
}

/** Session IDs match case-insensitively. */
function bySession(request: Omit<LockRequest, 'Session'>, id: string): LockRequest {
  return { ...request, Session: id.toLowerCase() }
}

/** A write has at most one condition. @throws AclError `query_invalid`. */
function refuseConflicts(query: Call<'kv.write'>['query']): void {
  const given = (['acquire', 'release', 'cas'] as const).filter((option) => option in query)
  if (given.length < 2) return
  const flags = given.map((option) => `${option}=${shorten(String(query[option]))}`).join('&')
  throw new AclError('query_invalid', `Conflicting flags: ${flags}`, { field: given[1] ?? 'cas' })
}
