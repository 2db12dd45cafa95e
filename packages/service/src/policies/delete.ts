import { checkPolicyDelete } from '@latchkey/acl'
import { decideAndCommitFor } from '../caller/authority.ts'
import { type Answer, type Call, json } from '../handler.ts'
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
