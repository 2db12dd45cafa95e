import { checkPolicyDelete } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requirePolicy } from './stored-policy.ts'

export function deletePolicyHandler(call: Call<'policies.delete'>): Promise<Answer<'policies.delete'>> {
  return decideAndCommitFor(call, () => {
    const existing = requirePolicy(call, call.service.store.directory(), call.params.ID)
    checkPolicyDelete(existing)
    return {
      changes: [{ table: 'policies', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}
