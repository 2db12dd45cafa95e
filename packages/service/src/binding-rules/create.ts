import { type BindingRuleRequest, createBindingRule } from '@latchkey/acl'
import { AclError, type CreateBindingRule, limits } from '@latchkey/contract'
import { type Answer, type Call, type Context, json } from '../handler.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { created, decideAndCommitFor } from '../store/commit.ts'
import { bindingContext, showBindingRule } from './stored-binding-rule.ts'

export function createBindingRuleHandler(
  call: Call<'bindingRules.create'>,
): Promise<Answer<'bindingRules.create'>> {
  return createBindingRuleBy(call, call.body)
}

/** Creates a rule. An update without an ID does the same. */
export async function createBindingRuleBy(
  call: Context,
  request: BindingRuleRequest & Pick<CreateBindingRule, 'Namespace'>,
): Promise<Answer<'bindingRules.create'>> {
  const there = inBodyNamespace(call, request.Namespace)
  const { service } = call
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const { random } = service
    const record = createBindingRule(request, {
      ...bindingContext(there, directory),
      random,
      namespace: there.namespace,
    })
    const others = directory.bindingRulesOf({ Namespace: there.namespace, Name: record.AuthMethod })
    if (others.length >= limits.BINDING_RULES_MAX) {
      throw new AclError(
        'field_invalid',
        `Invalid Binding Rule: an auth method has at most ${limits.BINDING_RULES_MAX} rules`,
        { field: 'AuthMethod' },
      )
    }
    return {
      changes: [{ table: 'bindingRules', op: 'put', record, expect: 0 }],
      answer: (index) => json(showBindingRule(there, created(record, index))),
    }
  })
}
