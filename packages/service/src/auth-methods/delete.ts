import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import type { Change } from '../store/store.ts'
import { requireAuthMethod } from './stored-auth-method.ts'

/**
 * Deletes a method with its rules. Its tokens refer to a deleted generation, so they immediately act as deleted; a job of the
 * server removes their rows in batches. Decisions: auth methods.
 */
export function deleteAuthMethodHandler(
  call: Call<'authMethods.delete'>,
): Promise<Answer<'authMethods.delete'>> {
  return decideAndCommitFor(call, () => {
    const directory = call.service.store.directory()
    const method = requireAuthMethod(call, directory, call.params.Name)
    const rules = directory.bindingRulesOf(method)
    return {
      changes: [
        ...rules.map(
          (record): Change => ({ table: 'bindingRules', op: 'delete', record, expect: record.ModifyIndex }),
        ),
        { table: 'authMethods', op: 'delete', record: method, expect: method.ModifyIndex },
      ],
      answer: () => json(true),
    }
  })
}
