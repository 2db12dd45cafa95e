/** The rules of binding rules. Decisions: auth methods. */
import { AclError, shorten } from '@latchkey/contract'
import { type Random, randomUuid } from '../../ports.ts'
import type { AuthMethodRecord, BindingRuleRecord, BindType } from '../../records/login-records.ts'
import { attributesOf } from '../attributes.ts'
import { checkBindName } from '../bind-name.ts'
import { checkSelector, prefixed } from '../selector/check-selector.ts'

/** The decoded body of create or update. Omitted fields are cleared; a rule without a Selector matches every login. */
export interface BindingRuleRequest {
  readonly ID?: string | undefined
  readonly Description?: string | undefined
  readonly AuthMethod?: string | undefined
  readonly Selector?: string | undefined
  readonly BindType?: string | undefined
  readonly BindName?: string | undefined
}

export interface BindingRuleContext {
  /** Finds a method in the rule's namespace by name, ignoring case. */
  readonly methodByName: (name: string) => AuthMethodRecord | undefined
  readonly bindTypes: readonly BindType[]
}

/** Builds the record of a new rule. */
export function createBindingRule(
  request: BindingRuleRequest,
  context: BindingRuleContext & { readonly random: Random; readonly namespace: string },
): BindingRuleRecord {
  if (request.ID) throw idMismatch()
  return {
    ID: randomUuid(context.random),
    ...decideContent(request, request.AuthMethod ?? '', context),
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: context.namespace,
  }
}

/**
 * Builds the updated record, which replaces everything except AuthMethod. Throws like {@link createBindingRule}, and
 * `field_immutable` if AuthMethod differs, even only in case.
 */
export function updateBindingRule(
  existing: BindingRuleRecord,
  request: BindingRuleRequest,
  context: BindingRuleContext,
): BindingRuleRecord {
  if (request.ID && request.ID.toLowerCase() !== existing.ID) throw idMismatch()
  if (request.AuthMethod && request.AuthMethod !== existing.AuthMethod) {
    throw new AclError('field_immutable', 'the AuthMethod field of an Binding Rule is immutable', {
      field: 'AuthMethod',
    })
  }
  return { ...existing, ...decideContent(request, existing.AuthMethod, context) }
}

function decideContent(
  request: BindingRuleRequest,
  methodName: string,
  { methodByName, bindTypes }: BindingRuleContext,
) {
  const { Description = '', Selector = '', BindType: type = '', BindName = '' } = request
  if (methodName === '') throw required('AuthMethod')
  const method = methodByName(methodName)
  if (method === undefined) {
    const problem = `cannot find auth method with name ${JSON.stringify(shorten(methodName))}`
    throw new AclError('link_unknown', problem, { field: 'AuthMethod' })
  }
  const attributes = attributesOf(method)
  // The lower-case `invalid` is the reference's spelling.
  prefixed('invalid Binding Rule', () => checkSelector(Selector, attributes))
  if (type === '') throw required('BindType')
  if (BindName === '') throw required('BindName')
  const BindType = bindTypes.find((each) => each === type)
  if (BindType === undefined) {
    const problem = `Invalid Binding Rule: unknown BindType ${JSON.stringify(shorten(type))}`
    throw new AclError('field_invalid', problem, { field: 'BindType' })
  }
  prefixed('Invalid Binding Rule', () => checkBindName(BindName, BindType, { attributes }))
  return { Description, AuthMethod: methodName, Selector, BindType, BindName }
}

function required(field: string): AclError {
  return new AclError('field_required', `Invalid Binding Rule: no ${field} is set`, { field })
}

function idMismatch(): AclError {
  return new AclError('accessor_mismatch', 'BindingRule ID in URL and payload do not match', { field: 'ID' })
}
