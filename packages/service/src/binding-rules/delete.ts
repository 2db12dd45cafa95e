import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireBindingRule } from './stored-binding-rule.ts'

export function deleteBindingRuleHandler(
  call: Call<'bindingRules.delete'>,
): Promise<Answer<'bindingRules.delete'>> {
  return decideAndCommitFor(call, () => {
    const existing = requireBindingRule(call, call.service.store.directory(), call.params.ID)
    return {
      changes: [{ table: 'bindingRules', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}
