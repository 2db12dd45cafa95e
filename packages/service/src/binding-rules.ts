import type { BindingRuleContext, BindingRuleRecord, BindingRuleRequest, Directory } from '@latchkey/acl'
import { createBindingRule, updateBindingRule } from '@latchkey/acl'
import { AclError, type BindingRule, type CreateBindingRule, limits } from '@latchkey/contract'
import { type Context, type Handler, type JsonAnswer, json } from './handler.ts'
import {
  deleteRecord,
  type Kind,
  readRecord,
  requireRecord,
  takeId,
  withId,
  within,
  writeRecord,
} from './records.ts'
import { inBodyNamespace, isListed } from './request/namespace.ts'

const BINDING_RULES: Kind<'bindingRules', BindingRule> = {
  table: 'bindingRules',
  subject: 'Requested binding rule',
  find: (directory, id, namespace) => within(namespace, directory.bindingRule(id)),
  show: showBindingRule,
}

export const createBindingRuleHandler: Handler<'bindingRules.create'> = (call) =>
  createBindingRuleBy(call, ...takeId(call))

/** Also used by an update without an ID. */
function createBindingRuleBy(
  call: Context,
  request: BindingRuleRequest & Pick<CreateBindingRule, 'Namespace'>,
  id?: string,
): Promise<JsonAnswer<BindingRule>> {
  const there = inBodyNamespace(call, request.Namespace)
  const { namespace } = there
  const { random } = call.service
  return writeRecord(BINDING_RULES, call, (directory) => {
    const created = createBindingRule(request, { ...bindingContext(there, directory), random, namespace })
    const record = withId(created, id, (each) => directory.bindingRule(each))
    const others = directory.bindingRulesOf({ Namespace: namespace, Name: record.AuthMethod })
    if (others.length < limits.BINDING_RULES_MAX) return { record }
    const message = `Invalid Binding Rule: an auth method has at most ${limits.BINDING_RULES_MAX} rules`
    throw new AclError('field_invalid', message, { field: 'AuthMethod' })
  })
}

export const readBindingRuleHandler: Handler<'bindingRules.read'> = (call) =>
  readRecord(BINDING_RULES, call, call.params.ID)

/** An empty ID creates a rule, because existing clients rely on it. Decisions: empty ids. */
export const updateBindingRuleHandler: Handler<'bindingRules.update'> = async (call) => {
  const { body, params } = call
  if (params.ID === '') return createBindingRuleBy(call, body)
  const there = inBodyNamespace(call, body.Namespace)
  return writeRecord(BINDING_RULES, call, (directory) => {
    const existing = requireRecord(BINDING_RULES, there, directory, params.ID)
    return { record: updateBindingRule(existing, body, bindingContext(there, directory)), existing }
  })
}

export const deleteBindingRuleHandler: Handler<'bindingRules.delete'> = (call) =>
  deleteRecord(BINDING_RULES, call, call.params.ID)

export const listBindingRulesHandler: Handler<'bindingRules.list'> = (call) => {
  const method = call.query.authmethod?.toLowerCase()
  const rules = [...call.directory.bindingRules()]
    .filter((rule) => isListed(call, rule.Namespace))
    .filter((rule) => method === undefined || rule.AuthMethod.toLowerCase() === method)
  return json(
    rules.map((rule) => showBindingRule(call, rule)),
    { topic: 'bindingRules', ...(method === undefined ? {} : { filtered: true }) },
  )
}

function showBindingRule({ service }: Context, rule: BindingRuleRecord): BindingRule {
  const { ID, Description, AuthMethod, Selector, BindType, BindName, CreateIndex, ModifyIndex } = rule
  const where = service.edition === 'extended' ? { Namespace: rule.Namespace } : {}
  return { ID, Description, AuthMethod, Selector, BindType, BindName, CreateIndex, ModifyIndex, ...where }
}

function bindingContext(
  { service, namespace }: Pick<Context, 'service' | 'namespace'>,
  directory: Directory,
): BindingRuleContext {
  return {
    methodByName: (name) => directory.authMethod(namespace, name),
    bindTypes: service.profile.has('bindingRule.node') ? ['service', 'node', 'role'] : ['service', 'role'],
  }
}
