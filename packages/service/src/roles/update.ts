import { updateRole } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { laterFieldsOf } from '../reply/later-fields.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { decideAndCommitFor, modified } from '../store/commit.ts'
import { createRoleBy } from './create.ts'
import { requireRole, roleShown } from './stored-role.ts'

/** An empty ID creates a role, as existing clients expect. Decisions: empty ids. */
export function updateRoleHandler(call: Call<'roles.update'>): Promise<Answer<'roles.update'>> {
  const { service, body, params } = call
  if (params.ID === '') return createRoleBy(call, body)
  const there = inBodyNamespace(call, body.Namespace)
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const existing = requireRole(there, directory, params.ID)
    const record = updateRole(existing, body, { directory, kept: laterFieldsOf(service.profile) })
    return {
      changes: [{ table: 'roles', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) => roleShown(call, modified(record, index), directory),
    }
  })
}
