import { AclError } from '@latchkey/contract'
import { callerUnknown } from '../caller/caller.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommit } from '../store/commit.ts'

/** Deletes the presented token, which must come from a login. */
export function logoutHandler(call: Call<'login.logout'>): Promise<Answer<'login.logout'>> {
  const { store } = call.service
  const { SecretID } = call.caller.token
  return decideAndCommit(store, async () => {
    const record = await store.tokenBySecret(SecretID)
    if (!record) throw callerUnknown()
    if (record.AuthMethod === '') {
      // Only a token from a login can log out. A copy from another datacenter has no generation.
      throw new AclError('privilege_missing', 'Permission denied', { accessorId: record.AccessorID })
    }
    return {
      changes: [{ table: 'tokens', op: 'delete', record, expect: record.ModifyIndex }],
      answer: () => json(true),
    }
  })
}
