import { checkBodyAccessor, updateToken } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { laterFieldsOf } from '../reply/later-fields.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { decideAndCommitFor, modified } from '../store/commit.ts'
import { shownToWriter, withToken } from './stored-token.ts'

/** Spec 4.5. */
export function updateTokenHandler(call: Call<'tokens.update'>): Promise<Answer<'tokens.update'>> {
  const { service, body, params } = call
  const there = inBodyNamespace(call, body.Namespace)
  checkBodyAccessor(params.AccessorID, body)
  return decideAndCommitFor(call, () =>
    withToken(there, params.AccessorID, (existing) => {
      const record = updateToken(existing, body, {
        pathAccessorId: params.AccessorID,
        directory: service.store.directory(),
        kept: laterFieldsOf(service.profile),
      })
      return {
        changes: [{ table: 'tokens', op: 'put', record, expect: existing.ModifyIndex }],
        answer: (index) => shownToWriter(call, modified(record, index)),
      }
    }),
  )
}
