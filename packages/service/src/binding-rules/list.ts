import { type Answer, type Call, json } from '../handler.ts'
import { isListed } from '../request/namespace.ts'
import { showBindingRule } from './stored-binding-rule.ts'

export function listBindingRulesHandler(call: Call<'bindingRules.list'>): Answer<'bindingRules.list'> {
  const method = call.query.authmethod?.toLowerCase()
  const rules = [...call.directory.bindingRules()]
    .filter((rule) => isListed(call, rule.Namespace))
    .filter((rule) => method === undefined || rule.AuthMethod.toLowerCase() === method)
  return json(
    rules.map((rule) => showBindingRule(call, rule)),
    { topic: 'bindingRules', ...(method === undefined ? {} : { filtered: true }) },
  )
}
