import { type Answer, type Call, json, missing } from '../handler.ts'
import { bindingRuleMissing, findBindingRule, showBindingRule } from './stored-binding-rule.ts'

export function readBindingRuleHandler(call: Call<'bindingRules.read'>): Answer<'bindingRules.read'> {
  const rule = findBindingRule(call, call.directory, call.params.ID)
  if (!rule) return missing(bindingRuleMissing(), { topic: 'bindingRules', filtered: true })
  return json(showBindingRule(call, rule), { topic: 'bindingRules', modifyIndex: rule.ModifyIndex })
}
