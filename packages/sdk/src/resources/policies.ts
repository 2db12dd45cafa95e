/** Policies: named rule texts. Spec 1, 2.2, 9.1. */

import { whenGone } from '../absence.ts'
import { type Core, call, watchCall, watchRecordCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import {
  type CallOptions,
  PAGE_NAMES,
  type PageOptions,
  type ReadOptions,
  type WatchOptions,
} from '../options.ts'
import { send } from '../request/send.ts'
import type {
  LintFinding,
  Policy,
  PolicyCreate,
  PolicyListEntry,
  PolicyUpdate,
  WhatIfChange,
} from '../types.ts'
import type { Watch } from '../watch.ts'
import { ensure } from './ensure.ts'

export class Policies<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Creates a policy. The service assigns the ID, so a create with an unknown outcome is not retried.
   *
   * Endpoint `policies.create` (PUT /v1/acl/policy). Right: acl:write. Spec 9.1, from service version 1.4.0.
   * Errors: Invalid (field_required, field_invalid, name_invalid, rules_invalid), Conflict (name_in_use), NotFound,
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   *
   * @example
   * await client.policies.create({ Name: 'web-read', Rules: 'key_prefix "web/" { policy = "read" }' })
   */
  create(policy: PolicyCreate, options: CallOptions = {}): Promise<Result<M, Policy>> {
    return call(this.#core, { endpoint: 'policies.create', json: policy, options })
  }

  /**
   * Reads a policy by its ID.
   *
   * Endpoint `policies.read` (GET /v1/acl/policy/:ID). Right: acl:read. Spec 9.1, from service version 1.4.0.
   * Errors: Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  read(id: string, options: ReadOptions = {}): Promise<Result<M, Policy>> {
    return call(this.#core, { ...readCall(id), options })
  }

  /**
   * Reads a policy by its name.
   *
   * Endpoint `policies.readByName` (GET /v1/acl/policy/name/:Name). Right: acl:read. Spec 9.1, from service version
   * 1.4.0. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  readByName(name: string, options: ReadOptions = {}): Promise<Result<M, Policy>> {
    return call(this.#core, { endpoint: 'policies.readByName', params: { Name: name }, options })
  }

  /**
   * Replaces a policy; omitted fields are cleared. The new rules apply at once to linked tokens.
   *
   * Endpoint `policies.update` (PUT /v1/acl/policy/:ID). Right: acl:write. Spec 9.1, from service version 1.4.0.
   * Errors: Invalid (id_invalid, accessor_mismatch, name_invalid, rules_invalid, builtin_immutable, field_required,
   * field_invalid), Conflict (name_in_use), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  update(id: string, policy: PolicyUpdate, options: CallOptions = {}): Promise<Result<M, Policy>> {
    const params = { ID: id }
    return call(this.#core, {
      endpoint: 'policies.update',
      params,
      json: policy,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deletes a policy, and removes its links from tokens and roles.
   *
   * Endpoint `policies.delete` (DELETE /v1/acl/policy/:ID). Right: acl:write. Spec 9.1, from service version 1.4.0.
   * Errors: Invalid (id_missing, id_invalid, delete_refused), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing), LegacyMode.
   */
  delete(id: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    const params = { ID: id }
    return call(this.#core, {
      endpoint: 'policies.delete',
      params,
      repeatable: 'always',
      recover: whenGone,
      options,
    })
  }

  /**
   * Lists all policies, without their rules.
   *
   * Endpoint `policies.list` (GET /v1/acl/policies). Right: acl:read. Spec 9.1, from service version 1.4.0. Errors:
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  list(options: ReadOptions = {}): Promise<Result<M, PolicyListEntry[]>> {
    return call(this.#core, { endpoint: 'policies.list', options })
  }

  /** Iterates over all policies, without their rules, in the order of {@link list}. */
  async *each(options: ReadOptions = {}): AsyncGenerator<PolicyListEntry, undefined, undefined> {
    yield* (await send(this.#core.settings, { endpoint: 'policies.list', options })).value
  }

  /**
   * Ensures that a policy with this name has this content: creates it, updates it if it differs, or leaves it
   * unchanged. Fields that `policy` omits are cleared, as by {@link update}.
   *
   * @returns the resulting policy.
   */
  async ensure(
    policy: PolicyCreate & { readonly Name: string },
    options: CallOptions = {},
  ): Promise<Result<M, Policy>> {
    const { settings } = this.#core
    const { Name } = policy
    const where = { ...options, namespace: policy.Namespace || options.namespace }
    return this.#core.shape(
      await ensure<Policy>({
        read: () => send(settings, { endpoint: 'policies.readByName', params: { Name }, options: where }),
        create: () =>
          send(settings, { endpoint: 'policies.create', json: policy, repeatable: 'always', options }),
        update: ({ ID }) =>
          send(settings, {
            endpoint: 'policies.update',
            params: { ID },
            json: policy,
            repeatable: 'unlessPending',
            options,
          }),
        isSame: (found) =>
          found.Description === (policy.Description ?? '') &&
          found.Rules === (policy.Rules ?? '') &&
          String(found.Datacenters ?? []) === String(policy.Datacenters ?? []),
      }),
    )
  }

  /**
   * Checks a rule text for errors and surprising effects; nothing is stored.
   *
   * Endpoint `policies.lint` (POST /v1/acl/policy/lint). Right: none. An extension of the spec, from service
   * version 1.4.0.
   */
  lint(rules: string, options: CallOptions = {}): Promise<Result<M, LintFinding[]>> {
    return call(this.#core, { endpoint: 'policies.lint', json: { Rules: rules }, options })
  }

  /**
   * Lists the tokens that would gain or lose rights with these rules in the policy; nothing is stored.
   *
   * Endpoint `policies.whatIf` (POST /v1/acl/policy/:ID/what-if). Right: acl:read. An extension of the spec, from
   * service version 1.4.0. Errors: Invalid (id_invalid, rules_invalid, batch_too_large), NotFound, PermissionDenied
   * (caller_unknown, privilege_missing), LegacyMode.
   */
  whatIf(id: string, rules: string, options: PageOptions = {}): Promise<Result<M, WhatIfChange[]>> {
    const { limit, cursor } = options
    return call(this.#core, {
      endpoint: 'policies.whatIf',
      params: { ID: id },
      query: { limit, cursor },
      ownNames: PAGE_NAMES,
      json: { Rules: rules },
      options,
    })
  }

  /**
   * Follows a policy; `value` is `undefined` while it does not exist.
   *
   * Endpoint `policies.read` (GET /v1/acl/policy/:ID). Right: acl:read. Spec 9.1, from service version 1.4.0.
   * Errors: Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  watch(id: string, options?: WatchOptions): Watch<Policy | undefined> {
    return watchRecordCall(this.#core, readCall(id), options)
  }

  /**
   * Follows the list of all policies.
   *
   * Endpoint `policies.list` (GET /v1/acl/policies). Right: acl:read. Spec 9.1, from service version 1.4.0. Errors:
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  watchList(options?: WatchOptions): Watch<PolicyListEntry[]> {
    return watchCall(this.#core, { endpoint: 'policies.list' }, options)
  }
}

function readCall(id: string) {
  return { endpoint: 'policies.read', params: { ID: id } } as const
}
