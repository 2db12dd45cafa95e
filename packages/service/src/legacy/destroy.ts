import { ANONYMOUS_TOKEN_SECRET_ID } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { living, requireSecret } from './legacy-token.ts'

/** `true`, even for an unknown secret; also deletes tokens of the new API. */
export function destroyLegacyHandler(call: Call<'legacy.destroy'>): Promise<Answer<'legacy.destroy'>> {
  const { store } = call.service
  const secretId = requireSecret(call.params)
  if (secretId === ANONYMOUS_TOKEN_SECRET_ID) {
    throw new AclError('root_name_refused', 'Permission denied: Cannot delete anonymous token')
  }
  return decideAndCommitFor(call, async () => {
    const existing = living(call, await store.tokenBySecret(secretId))
    if (!existing) return { changes: [], answer: () => json(true) }
    return {
      changes: [{ table: 'tokens', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}
