import {
  type BindingRuleContext,
  type BindingRuleRecord,
  type BindingRuleRequest,
  createBindingRule,
  type Directory,
  updateBindingRule,
} from '@latchkey/acl'
import { AclError, type BindingRule, type CreateBindingRule, limits } from '@latchkey/contract'
import { type Answer, type Context, type Handler, json, missing, notFound } from './handler.ts'
import { inBodyNamespace, isListed } from './request/namespace.ts'
import { created, decideAndCommitFor, modified } from './store/commit.ts'

export const createBindingRuleHandler: Handler<'bindingRules.create'> = (call) =>
  createBindingRuleBy(call, call.body)

/** Creates a rule. An update without an ID does the same. */
async function createBindingRuleBy(
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

export const readBindingRuleHandler: Handler<'bindingRules.read'> = (call) => {
  const rule = findBindingRule(call, call.directory, call.params.ID)
  if (!rule) return missing(bindingRuleMissing(), { topic: 'bindingRules', filtered: true })
  return json(showBindingRule(call, rule), { topic: 'bindingRules', modifyIndex: rule.ModifyIndex })
}

/** An empty ID creates a rule, because existing clients rely on it. Decisions: empty ids. */
export const updateBindingRuleHandler: Handler<'bindingRules.update'> = async (call) => {
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

export const deleteBindingRuleHandler: Handler<'bindingRules.delete'> = (call) =>
  decideAndCommitFor(call, () => {
    const existing = requireBindingRule(call, call.service.store.directory(), call.params.ID)
    return {
      changes: [{ table: 'bindingRules', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })

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

/** Finds a rule in the request's namespace. */
function findBindingRule(call: Context, directory: Directory, id: string): BindingRuleRecord | undefined {
  const rule = directory.bindingRule(id)
  return rule?.Namespace === call.namespace ? rule : undefined
}

/** @throws AclError `not_found`. */
function requireBindingRule(call: Context, directory: Directory, id: string): BindingRuleRecord {
  const rule = findBindingRule(call, directory, id)
  if (!rule) throw bindingRuleMissing()
  return rule
}

function bindingRuleMissing() {
  return notFound('Requested binding rule')
}

function showBindingRule({ service }: Context, rule: BindingRuleRecord): BindingRule {
  const { ID, Description, AuthMethod, Selector, BindType, BindName, CreateIndex, ModifyIndex } = rule
  return {
    ID,
    Description,
    AuthMethod,
    Selector,
    BindType,
    BindName,
    CreateIndex,
    ModifyIndex,
    ...(service.edition === 'extended' ? { Namespace: rule.Namespace } : {}),
  }
}

/** The context in which a binding rule is checked. */
function bindingContext(
  { service, namespace }: Pick<Context, 'service' | 'namespace'>,
  directory: Directory,
): BindingRuleContext {
  return {
    methodByName: (name) => directory.authMethod(namespace, name),
    bindTypes: service.profile.has('bindingRule.node') ? ['service', 'node', 'role'] : ['service', 'role'],
  }
}
