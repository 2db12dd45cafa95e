/** Finds stored binding rules, and renders them for callers. */
import type { BindingRuleContext, BindingRuleRecord, Directory } from '@latchkey/acl'
import type { BindingRule } from '@latchkey/contract'
import { type Context, notFound } from '../handler.ts'

/** Finds a rule in the request's namespace. */
export function findBindingRule(
  call: Context,
  directory: Directory,
  id: string,
): BindingRuleRecord | undefined {
  const rule = directory.bindingRule(id)
  return rule?.Namespace === call.namespace ? rule : undefined
}

/** @throws AclError `not_found`. */
export function requireBindingRule(call: Context, directory: Directory, id: string): BindingRuleRecord {
  const rule = findBindingRule(call, directory, id)
  if (!rule) throw bindingRuleMissing()
  return rule
}

export function bindingRuleMissing() {
  return notFound('Requested binding rule')
}

export function showBindingRule({ service }: Context, rule: BindingRuleRecord): BindingRule {
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
export function bindingContext(
  { service, namespace }: Pick<Context, 'service' | 'namespace'>,
  directory: Directory,
): BindingRuleContext {
  return {
    methodByName: (name) => directory.authMethod(namespace, name),
    bindTypes: service.profile.has('bindingRule.node') ? ['service', 'node', 'role'] : ['service', 'role'],
  }
}
