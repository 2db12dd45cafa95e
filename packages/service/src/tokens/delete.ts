import { checkDelete } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { withToken } from './stored-token.ts'

/** Spec 4.7: answers `true` once the record is deleted. */
export function deleteTokenHandler(call: Call<'tokens.delete'>): Promise<Answer<'tokens.delete'>> {
  return decideAndCommitFor(call, () =>
    withToken(call, call.params.AccessorID, (existing) => {
      checkDelete(existing, call.caller.token)
      return {
        changes: [{ table: 'tokens', op: 'delete', record: existing, expect: existing.ModifyIndex }],
        answer: () => json(true),
      }
    }),
  )
}
