/** The legacy ACL API, until service version 1.11. The ID of a legacy token is its secret. Spec 9.1, 9.2.4. */
import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, ReadOptions } from '../options.ts'
import type { ImportResult, LegacyToken, LegacyTokenID, LegacyTokenRequest } from '../types.ts'
import { randomUuid } from './uuid.ts'

export class Legacy<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Creates a legacy token, or overwrites the one with the same ID. The SDK generates an absent ID, so a retry is safe.
   *
   * Endpoint `legacy.create` (PUT /v1/acl/create). Right: acl:write. Spec 9.1, removed in 1.11. Errors: Invalid
   * (field_invalid, rules_invalid, legacy_token_immutable, id_reserved), PermissionDenied (root_name_refused,
   * caller_unknown, privilege_missing), Conflict (id_in_use).
   */
  create(token: LegacyTokenRequest = {}, options: CallOptions = {}): Promise<Result<M, LegacyTokenID>> {
    const ID = token.ID ?? randomUuid()
    const json = { ...token, ID }
    return call(this.#core, {
      endpoint: 'legacy.create',
      json,
      secrets: [ID],
      ...(ID === '' ? {} : { repeatable: 'unlessPending' }),
      options,
    })
  }

  /**
   * Replaces a legacy token, or creates it if the ID is unknown.
   *
   * Endpoint `legacy.update` (PUT /v1/acl/update). Right: acl:write. Spec 9.1, removed in 1.11. Errors: Invalid
   * (id_missing, field_invalid, rules_invalid, legacy_token_immutable, id_reserved), PermissionDenied
   * (root_name_refused, caller_unknown, privilege_missing), Conflict (id_in_use).
   */
  update(token: LegacyTokenRequest, options: CallOptions = {}): Promise<Result<M, LegacyTokenID>> {
    const secrets = [token.ID]
    return call(this.#core, {
      endpoint: 'legacy.update',
      json: token,
      secrets,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Destroys a token by its secret. Also `true` if it did not exist.
   *
   * Endpoint `legacy.destroy` (PUT /v1/acl/destroy/:ID). Right: acl:write. Spec 9.1, removed in 1.11. Errors:
   * Invalid (id_missing), PermissionDenied (root_name_refused, caller_unknown, privilege_missing).
   */
  destroy(id: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    const params = { ID: id }
    return call(this.#core, {
      endpoint: 'legacy.destroy',
      params,
      secrets: [id],
      repeatable: 'always',
      options,
    })
  }

  /**
   * Reads a legacy token by its secret. Returns a list with the token, or an empty list.
   *
   * Endpoint `legacy.info` (GET /v1/acl/info/:ID). Right: none. Spec 9.1, removed in 1.11. Errors: Invalid
   * (id_missing), PermissionDenied (root_name_refused).
   */
  info(id: string, options: ReadOptions = {}): Promise<Result<M, LegacyToken[]>> {
    return call(this.#core, { endpoint: 'legacy.info', params: { ID: id }, secrets: [id], options })
  }

  /**
   * Creates a legacy token with the name, type and rules of another. A clone with an unknown outcome is not retried.
   *
   * Endpoint `legacy.clone` (PUT /v1/acl/clone/:ID). Right: acl:write. Spec 9.1, removed in 1.11. Errors: Invalid
   * (id_missing), PermissionDenied (root_name_refused, caller_unknown, privilege_missing).
   */
  clone(id: string, options: CallOptions = {}): Promise<Result<M, LegacyTokenID>> {
    return call(this.#core, { endpoint: 'legacy.clone', params: { ID: id }, secrets: [id], options })
  }

  /**
   * Lists all legacy tokens, with their secrets.
   *
   * Endpoint `legacy.list` (GET /v1/acl/list). Right: acl:write. Spec 9.1, removed in 1.11. Errors:
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  list(options: ReadOptions = {}): Promise<Result<M, LegacyToken[]>> {
    return call(this.#core, { endpoint: 'legacy.list', options })
  }

  /**
   * Imports the list of a legacy cluster, all or nothing. It leaves existing tokens unchanged, so a retry is safe.
   * Raise `attemptTimeout` for a long list.
   *
   * Endpoint `legacy.import` (PUT /v1/internal/acl/legacy-tokens). Right: acl:write. An extension of the spec,
   * removed in 1.11. Errors: Invalid (field_invalid, field_type, body_malformed), Conflict (id_in_use),
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  import(tokens: readonly LegacyToken[], options: CallOptions = {}): Promise<Result<M, ImportResult>> {
    const secrets = tokens.map((token) => token.ID)
    return call(this.#core, {
      endpoint: 'legacy.import',
      json: tokens,
      secrets,
      repeatable: 'always',
      options,
    })
  }

  /**
   * Exports all legacy tokens, in the format that {@link import} accepts.
   *
   * Endpoint `legacy.export` (GET /v1/internal/acl/legacy-tokens). Right: acl:write. An extension of the spec,
   * removed in 1.11. Errors: PermissionDenied (caller_unknown, privilege_missing).
   */
  export(options: CallOptions = {}): Promise<Result<M, LegacyToken[]>> {
    return call(this.#core, { endpoint: 'legacy.export', options })
  }

  /**
   * Translates legacy rules to the current rule language.
   *
   * Endpoint `legacy.translate` (POST /v1/acl/rules/translate). Right: acl:read. Spec 9.1, removed in 1.11. Errors:
   * Invalid (rules_invalid), PermissionDenied (caller_unknown, privilege_missing).
   */
  translate(rules: string, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, { endpoint: 'legacy.translate', body: rules, form: 'text', options })
  }

  /**
   * Translates the legacy rules of a token.
   *
   * Endpoint `legacy.translateToken` (GET /v1/acl/rules/translate/:AccessorID). Right: acl:read. Spec 9.1, from
   * service version 1.4.0, removed in 1.11. Errors: Invalid (id_missing, id_invalid, legacy_rules_missing),
   * NotFound, PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  translateToken(accessorId: string, options: CallOptions = {}): Promise<Result<M, string>> {
    const params = { AccessorID: accessorId }
    return call(this.#core, { endpoint: 'legacy.translateToken', params, form: 'text', options })
  }
}
