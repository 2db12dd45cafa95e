import { createRole } from '@latchkey/acl'
import type { CreateRole } from '@latchkey/contract'
import type { Answer, Call, Context } from '../handler.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { created, decideAndCommitFor } from '../store/commit.ts'
import { roleShown } from './stored-role.ts'

export function createRoleHandler(call: Call<'roles.create'>): Promise<Answer<'roles.create'>> {
  return createRoleBy(call, call.body)
}

/** Also used by an update without an ID. */
export function createRoleBy(call: Context, request: CreateRole): Promise<Answer<'roles.create'>> {
  const { service } = call
  const { namespace } = inBodyNamespace(call, request.Namespace)
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const record = createRole(request, { random: service.random, directory, namespace })
    return {
      changes: [{ table: 'roles', op: 'put', record, expect: 0 }],
      answer: (index) => roleShown(call, created(record, index), directory),
    }
  })
}
