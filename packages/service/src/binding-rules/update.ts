import { updateBindingRule } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { decideAndCommitFor, modified } from '../store/commit.ts'
import { createBindingRuleBy } from './create.ts'
import { bindingContext, requireBindingRule, showBindingRule } from './stored-binding-rule.ts'

/** An empty ID creates a rule, because existing clients rely on it. Decisions: empty ids. */
export async function updateBindingRuleHandler(
  call: Call<'bindingRules.update'>,
): Promise<Answer<'bindingRules.update'>> {
  const { service, body, params } = call
  if (params.ID === '') return createBindingRuleBy(call, body)
  const there = inBodyNamespace(call, body.Namespace)
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const existing = requireBindingRule(there, directory, params.ID)
    const record = updateBindingRule(existing, body, bindingContext(there, directory))
    return {
      changes: [{ table: 'bindingRules', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) => json(showBindingRule(there, modified(record, index))),
    }
  })
}
