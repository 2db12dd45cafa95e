import type { KvRecord } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireKey, requireKeyRight } from './key.ts'

/** `true`, or `false` where `cas` does not hold. Spec 5.4. */
export function writeKvHandler(call: Call<'kv.write'>): Promise<Answer<'kv.write'>> {
  const { body, namespace, query } = call
  const key = requireKey(call.params)
  refuseSessions(query)
  requireKeyRight(call, key, 'write')
  const { flags: Flags = 0n, cas } = query
  const { store } = call.service
  return decideAndCommitFor(call, async () => {
    const existing = await store.kvEntry(namespace, key)
    const index = existing?.ModifyIndex ?? 0
    if (cas !== undefined && cas !== index) return { changes: [], answer: () => json(false) }
    const record: KvRecord = {
      Key: key,
      Flags,
      Value: body,
      LockIndex: existing?.LockIndex ?? 0,
      CreateIndex: existing?.CreateIndex ?? 0,
      ModifyIndex: 0,
      Namespace: namespace,
    }
    return {
      changes: [{ table: 'kv', op: 'put', record, expect: cas === undefined ? undefined : index }],
      answer: () => json(true),
    }
  })
}

/** @throws AclError `session_unsupported`, whatever the value. */
function refuseSessions(query: Call<'kv.write'>['query']): void {
  for (const option of ['acquire', 'release'] as const) {
    if (!(option in query)) continue
    throw new AclError('session_unsupported', `${option} needs sessions, which this service does not have`, {
      field: option,
    })
  }
}
