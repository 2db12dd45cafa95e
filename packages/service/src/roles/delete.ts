import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireRole } from './stored-role.ts'

export function deleteRoleHandler(call: Call<'roles.delete'>): Promise<Answer<'roles.delete'>> {
  return decideAndCommitFor(call, () => {
    const existing = requireRole(call, call.service.store.directory(), call.params.ID)
    return {
      changes: [{ table: 'roles', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}
