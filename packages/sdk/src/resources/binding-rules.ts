/** Binding rules: they decide what the tokens of an auth method are linked to. */

import { whenGone } from '../absence.ts'
import { type Core, call, watchCall, watchRecordCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, ReadOptions, WatchOptions } from '../options.ts'
import type { QueryOf } from '../request/call.ts'
import type { BindingRule, BindingRuleCreate, BindingRuleUpdate } from '../types.ts'
import type { Watch } from '../watch.ts'

/** Selects the binding rules of one auth method, by name, ignoring case. */
export type BindingRuleFilter = { readonly [Q in QueryOf<'bindingRules.list'>]?: string | undefined }

export class BindingRules<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Creates a binding rule. All rules whose selector matches a login apply; a rule without a Selector matches every
   * login. The service assigns the ID, so a create with an unknown outcome is not retried.
   *
   * Endpoint `bindingRules.create` (PUT /v1/acl/binding-rule). Right: acl:write. Spec 2.1, from service version
   * 1.5.0. Errors: Invalid (field_required, field_invalid, selector_invalid, link_unknown, accessor_mismatch),
   * NotFound, PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   *
   * @example
   * await client.bindingRules.create({
   *   AuthMethod: 'ci',
   *   Selector: 'value.ref == main',
   *   BindType: 'service',
   *   BindName: '${value.project}-web',
   * })
   */
  create(rule: BindingRuleCreate, options: CallOptions = {}): Promise<Result<M, BindingRule>> {
    return call(this.#core, { endpoint: 'bindingRules.create', json: rule, options })
  }

  /**
   * Reads a binding rule by its ID.
   *
   * Endpoint `bindingRules.read` (GET /v1/acl/binding-rule/:ID). Right: acl:read. Spec 2.1, from service version
   * 1.5.0. Errors: Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing), LegacyMode.
   */
  read(id: string, options: ReadOptions = {}): Promise<Result<M, BindingRule>> {
    return call(this.#core, { ...readCall(id), options })
  }

  /**
   * Replaces a binding rule; omitted fields are cleared. Without its Selector, a rule matches every login, so send the
   * whole record as read, with your changes.
   *
   * Endpoint `bindingRules.update` (PUT /v1/acl/binding-rule/:ID). Right: acl:write. Spec 2.1, from service version
   * 1.5.0. Errors: Invalid (field_required, field_invalid, selector_invalid, link_unknown, accessor_mismatch,
   * id_invalid, field_immutable), NotFound, PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  update(id: string, rule: BindingRuleUpdate, options: CallOptions = {}): Promise<Result<M, BindingRule>> {
    const params = { ID: id }
    return call(this.#core, {
      endpoint: 'bindingRules.update',
      params,
      json: rule,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deletes a binding rule. Existing tokens keep the links that it gave them.
   *
   * Endpoint `bindingRules.delete` (DELETE /v1/acl/binding-rule/:ID). Right: acl:write. Spec 2.1, from service
   * version 1.5.0. Errors: Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing), LegacyMode.
   */
  delete(id: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    const params = { ID: id }
    return call(this.#core, {
      endpoint: 'bindingRules.delete',
      params,
      repeatable: 'always',
      recover: whenGone,
      options,
    })
  }

  /**
   * Lists binding rules.
   *
   * Endpoint `bindingRules.list` (GET /v1/acl/binding-rules). Right: acl:read. Spec 2.1, from service version
   * 1.5.0. Errors: PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  list(filter: BindingRuleFilter = {}, options: ReadOptions = {}): Promise<Result<M, BindingRule[]>> {
    return call(this.#core, { endpoint: 'bindingRules.list', query: filter, options })
  }

  /**
   * Follows a binding rule; `value` is `undefined` while it does not exist.
   *
   * Endpoint `bindingRules.read` (GET /v1/acl/binding-rule/:ID). Right: acl:read. Spec 2.1, from service version
   * 1.5.0. Errors: Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing), LegacyMode.
   */
  watch(id: string, options?: WatchOptions): Watch<BindingRule | undefined> {
    return watchRecordCall(this.#core, readCall(id), options)
  }

  /**
   * Follows a list of binding rules.
   *
   * Endpoint `bindingRules.list` (GET /v1/acl/binding-rules). Right: acl:read. Spec 2.1, from service version
   * 1.5.0. Errors: PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  watchList(filter: BindingRuleFilter = {}, options?: WatchOptions): Watch<BindingRule[]> {
    return watchCall(this.#core, { endpoint: 'bindingRules.list', query: filter }, options)
  }
}

function readCall(id: string) {
  return { endpoint: 'bindingRules.read', params: { ID: id } } as const
}
