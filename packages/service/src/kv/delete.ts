import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireKey, requireKeyRight } from './key.ts'

/** `true`, even if the key did not exist and whatever `cas` says; `false` if the key has another ModifyIndex. Spec 5.4. */
export async function deleteKvHandler(call: Call<'kv.delete'>): Promise<Answer<'kv.delete'>> {
  if (call.query.recurse) return deleteTree(call)
  const key = requireKey(call.params)
  requireKeyRight(call, key, 'write')
  const { cas } = call.query
  const { store } = call.service
  return decideAndCommitFor(call, async () => {
    const existing = await store.kvEntry(call.namespace, key)
    if (!existing) return { changes: [], answer: () => json(true) }
    if (cas !== undefined && cas !== existing.ModifyIndex) return { changes: [], answer: () => json(false) }
    return {
      changes: [{ table: 'kv', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}

async function deleteTree(call: Call<'kv.delete'>): Promise<Answer<'kv.delete'>> {
  const { Key: prefix } = call.params
  if ('cas' in call.query) {
    throw new AclError('query_invalid', 'Conflicting flags: recurse and cas exclude each other', {
      field: 'cas',
    })
  }
  requireKeyRight(call, prefix, 'write-prefix')
  await call.service.store.commit([{ table: 'kv', op: 'delete-tree', namespace: call.namespace, prefix }])
  return json(true)
}
