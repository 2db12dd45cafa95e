/** Auth methods: identity providers whose credentials a login exchanges for a token. */

import { whenGone } from '../absence.ts'
import { type Core, call, watchCall, watchRecordCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import {
  type CallOptions,
  type OwnNames,
  PAGE_NAMES,
  type PageOptions,
  type ReadOptions,
  type WatchOptions,
} from '../options.ts'
import type {
  AuthMethod,
  AuthMethodCreate,
  AuthMethodListEntry,
  AuthMethodUpdate,
  LoginExplanation,
  LoginsEntry,
} from '../types.ts'
import type { Watch } from '../watch.ts'

export interface AuthMethodWriteOptions extends CallOptions {
  /** `false`: write the method without contacting its provider. Default `true`. */
  readonly check?: boolean | undefined
}

const WRITE_NAMES: OwnNames<AuthMethodWriteOptions> = { check: true }

export class AuthMethods<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Creates an auth method, or replaces the method with this name (ignoring case). The service fetches the URLs in
   * Config once to check them.
   *
   * Endpoint `authMethods.create` (PUT /v1/acl/auth-method). Right: acl:write. Spec 2.1, from service version
   * 1.5.0. Errors: Invalid (field_required, field_invalid, field_immutable, name_invalid, selector_invalid),
   * NotFound, PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   *
   * @example
   * await client.authMethods.create({
   *   Name: 'ci',
   *   Type: 'jwt',
   *   MaxTokenTTL: '15m',
   *   Config: { JWKSURL: 'https://ci.example.com/jwks.json', ClaimMappings: { project: 'project' } },
   * })
   */
  create(method: AuthMethodCreate, options: AuthMethodWriteOptions = {}): Promise<Result<M, AuthMethod>> {
    return call(this.#core, {
      endpoint: 'authMethods.create',
      query: { check: checkQuery(options) },
      ownNames: WRITE_NAMES,
      json: method,
      secrets: secretsOf(method),
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Reads an auth method by its name, ignoring case. Secrets in Config are `<hidden>` for callers without acl:write.
   *
   * Endpoint `authMethods.read` (GET /v1/acl/auth-method/:Name). Right: acl:read. Spec 2.1, from service version
   * 1.5.0. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  read(name: string, options: ReadOptions = {}): Promise<Result<M, AuthMethod>> {
    return call(this.#core, { ...readCall(name), options })
  }

  /**
   * Replaces an auth method, including Config; omitted fields are cleared. Tokens that it created stay valid, unless
   * TokenLocality changes: then they stop working.
   *
   * Endpoint `authMethods.update` (PUT /v1/acl/auth-method/:Name). Right: acl:write. Spec 2.1, from service version
   * 1.5.0. Errors: Invalid (field_required, field_invalid, field_immutable, name_invalid, selector_invalid,
   * accessor_mismatch), NotFound, PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  update(
    name: string,
    method: AuthMethodUpdate,
    options: AuthMethodWriteOptions = {},
  ): Promise<Result<M, AuthMethod>> {
    return call(this.#core, {
      endpoint: 'authMethods.update',
      params: { Name: name },
      query: { check: checkQuery(options) },
      ownNames: WRITE_NAMES,
      json: method,
      secrets: secretsOf(method),
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deletes an auth method and its binding rules. All tokens that it created stop working at once.
   *
   * Endpoint `authMethods.delete` (DELETE /v1/acl/auth-method/:Name). Right: acl:write. Spec 2.1, from service
   * version 1.5.0. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  delete(name: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return call(this.#core, {
      endpoint: 'authMethods.delete',
      params: { Name: name },
      repeatable: 'always',
      recover: whenGone,
      options,
    })
  }

  /**
   * Lists all auth methods, without Config.
   *
   * Endpoint `authMethods.list` (GET /v1/acl/auth-methods). Right: acl:read. Spec 2.1, from service version 1.5.0.
   * Errors: PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  list(options: ReadOptions = {}): Promise<Result<M, AuthMethodListEntry[]>> {
    return call(this.#core, { endpoint: 'authMethods.list', options })
  }

  /**
   * Explains a login with these claims: the mapped values, which binding rules apply and why others do not, and the
   * rights of the token. Nothing is verified or stored.
   *
   * Endpoint `authMethods.explain` (POST /v1/acl/auth-method/:Name/explain). Right: acl:write. An extension of the
   * spec, from service version 1.5.0. Errors: NotFound, Invalid (batch_too_large), PermissionDenied
   * (caller_unknown, privilege_missing), LegacyMode.
   */
  explain(
    name: string,
    claims: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<Result<M, LoginExplanation>> {
    return call(this.#core, {
      endpoint: 'authMethods.explain',
      params: { Name: name },
      json: { Claims: claims },
      options,
    })
  }

  /**
   * Lists who is logged in: the number of live tokens of each identity, in order of identity. Returns one page of at
   * most 1,000; pass `nextCursor` for the next.
   *
   * Endpoint `authMethods.logins` (GET /v1/acl/auth-method/:Name/logins). Right: acl:read. An extension of the
   * spec, from service version 1.5.0. Errors: NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   *
   * @example
   * for (const { Identity, LiveTokens } of await client.authMethods.logins('ci')) {
   *   if (LiveTokens > 100) console.log(`${Identity} leaves logins open`)
   * }
   */
  logins(name: string, options: PageOptions = {}): Promise<Result<M, LoginsEntry[]>> {
    const { limit, cursor } = options
    return call(this.#core, {
      endpoint: 'authMethods.logins',
      params: { Name: name },
      query: { limit, cursor },
      ownNames: PAGE_NAMES,
      options,
    })
  }

  /**
   * Follows an auth method; `value` is `undefined` while it does not exist.
   *
   * Endpoint `authMethods.read` (GET /v1/acl/auth-method/:Name). Right: acl:read. Spec 2.1, from service version
   * 1.5.0. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  watch(name: string, options?: WatchOptions): Watch<AuthMethod | undefined> {
    return watchRecordCall(this.#core, readCall(name), options)
  }

  /**
   * Follows the list of all auth methods.
   *
   * Endpoint `authMethods.list` (GET /v1/acl/auth-methods). Right: acl:read. Spec 2.1, from service version 1.5.0.
   * Errors: PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  watchList(options?: WatchOptions): Watch<AuthMethodListEntry[]> {
    return watchCall(this.#core, { endpoint: 'authMethods.list' }, options)
  }
}

function readCall(name: string) {
  return { endpoint: 'authMethods.read', params: { Name: name } } as const
}

function checkQuery({ check }: AuthMethodWriteOptions): 'false' | undefined {
  return check === false ? 'false' : undefined
}

/** The secrets in a configuration, which errors must not contain. */
function secretsOf({ Config }: AuthMethodUpdate): readonly (string | undefined)[] {
  return [Config?.OIDCClientSecret, Config?.ServiceAccountJWT]
}
