/** Tokens. Spec 4. */

import { whenGone } from '../absence.ts'
import { type Core, call, watchCall, watchRecordCall } from '../core.ts'
import type { Mode, Result, WithMeta } from '../meta.ts'
import type { CallOptions, PageOptions, ReadOptions, WatchOptions } from '../options.ts'
import type { CallOf, QueryOf } from '../request/call.ts'
import { send } from '../request/send.ts'
import type {
  BootstrapToken,
  ExpandedToken,
  Token,
  TokenClone,
  TokenCreate,
  TokenListEntry,
  TokenUpdate,
} from '../types.ts'
import type { Watch } from '../watch.ts'
import { createToken } from './create-token.ts'
import { eachPage } from './pages.ts'

/**
 * Which tokens a list shows: those linked to a policy or role (by ID), of an auth method (by name), with a service
 * identity. At most one of them. `filter` has terms `Field==value` joined by ` and `, such as
 * `AuthMethod==oidc and Local==true`; `sort` is `CreateIndex`, or `-CreateIndex` for newest first. Spec 4.8.
 */
export type TokenFilter = {
  readonly [Q in Exclude<QueryOf<'tokens.list'>, 'limit' | 'cursor'>]?: string | undefined
}

/** `expanded`: also answer the contents of all policies and roles that affect the token. Spec 4.3. */
export interface TokenReadOptions extends ReadOptions {
  readonly expanded?: boolean | undefined
}

/** What a read with `expanded`, and bootstrap, add to the record. An update does not take it. */
const ADDED: Readonly<Record<Exclude<keyof (ExpandedToken & BootstrapToken), keyof Token>, undefined>> = {
  ID: undefined,
  ExpandedPolicies: undefined,
  ExpandedRoles: undefined,
  NamespaceDefaultPolicyIDs: undefined,
  NamespaceDefaultRoleIDs: undefined,
  AgentACLDefaultPolicy: undefined,
  AgentACLDownPolicy: undefined,
  ResolvedByAgent: undefined,
}

export class Tokens<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Creates a token. The SDK makes AccessorID and SecretID itself where they are absent, so a repeated create is
   * recognised as its own and makes one token. Where a SecretID is given (empty: the service makes one, as versions
   * before 1.5.0 always do), a create whose outcome is unknown is not repeated.
   *
   * Endpoint `tokens.create` (PUT /v1/acl/token). Right: acl:write. Spec 4.2, from service version 1.4.0. Errors:
   * Invalid (id_invalid, field_required, field_invalid, field_too_long, name_invalid, link_unknown, id_reserved,
   * expiration_out_of_bounds, expiration_conflict), Conflict (id_in_use), NotFound, PermissionDenied
   * (caller_unknown, privilege_missing), LegacyMode.
   *
   * @example
   * const token = await client.tokens.create({ Policies: [{ Name: 'web-read' }], ExpirationTTL: '1h' })
   */
  async create(token: TokenCreate = {}, options: CallOptions = {}): Promise<Result<M, Token>> {
    return this.#core.shape(await createToken(this.#core.settings, token, options))
  }

  /**
   * Reads a token by its accessor. SecretID is `<hidden>` unless the caller has acl:write.
   *
   * Endpoint `tokens.read` (GET /v1/acl/token/:AccessorID). Right: acl:read. Spec 4.3, from service version 1.4.0.
   * Errors: Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  read(
    accessorId: string,
    options: TokenReadOptions & { readonly expanded: true },
  ): Promise<Result<M, ExpandedToken>>
  read(accessorId: string, options?: TokenReadOptions): Promise<Result<M, Token>>
  read(accessorId: string, options: TokenReadOptions = {}): Promise<Result<M, Token>> {
    return call(this.#core, { ...readCall(accessorId), query: { expanded: options.expanded }, options })
  }

  /**
   * Reads the token that the client presents; the secret is its own right.
   *
   * Endpoint `tokens.self` (GET /v1/acl/token/self). Right: self. Spec 4.4, from service version 1.4.0. Errors:
   * PermissionDenied (caller_unknown), LegacyMode.
   */
  self(options: ReadOptions = {}): Promise<Result<M, Token>> {
    return call(this.#core, { endpoint: 'tokens.self', options })
  }

  /**
   * Replaces description and all links of a token: what is left out is cleared, so send the whole record that was
   * read, changed; what `expanded` or bootstrap added to it is not sent. An absent Local would mean false to the service; the SDK always
   * sends it, and reads the token first where the record does not say it.
   *
   * Endpoint `tokens.update` (PUT /v1/acl/token/:AccessorID). Right: acl:write. Spec 4.5, from service version
   * 1.4.0. Errors: Invalid (id_invalid, field_required, field_invalid, field_too_long, name_invalid, link_unknown,
   * id_missing, accessor_mismatch, field_immutable, local_mismatch), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing), LegacyMode.
   *
   * @example
   * const token = await client.tokens.read(accessorId)
   * await client.tokens.update(accessorId, { ...token, Description: 'web, production' })
   */
  async update(accessorId: string, token: TokenUpdate, options: CallOptions = {}): Promise<Result<M, Token>> {
    const Local = token.Local ?? (await this.#readLocal(accessorId, token, options))
    return call(this.#core, {
      endpoint: 'tokens.update',
      params: { AccessorID: accessorId },
      json: { ...token, ...ADDED, Local },
      secrets: [token.SecretID],
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Makes a new token with the links, Local and ExpirationTime of another, and its description unless one is given. A
   * clone whose outcome is unknown is not repeated.
   *
   * Endpoint `tokens.clone` (PUT /v1/acl/token/:AccessorID/clone). Right: acl:write. Spec 4.6, from service version
   * 1.4.0. Errors: Invalid (id_invalid, clone_refused, expiration_out_of_bounds, field_invalid), NotFound,
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  clone(accessorId: string, clone: TokenClone = {}, options: CallOptions = {}): Promise<Result<M, Token>> {
    const params = { AccessorID: accessorId }
    return call(this.#core, { endpoint: 'tokens.clone', params, json: clone, options })
  }

  /**
   * Deletes a token. `true`: it is gone. A token that did not exist is `NotFound`, unless an attempt of this
   * very call may have deleted it.
   *
   * Endpoint `tokens.delete` (DELETE /v1/acl/token/:AccessorID). Right: acl:write. Spec 4.7, from service version
   * 1.4.0. Errors: Invalid (id_missing, id_invalid, delete_refused), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing), LegacyMode.
   */
  delete(accessorId: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return call(this.#core, {
      endpoint: 'tokens.delete',
      params: { AccessorID: accessorId },
      repeatable: 'always',
      recover: whenGone,
      options,
    })
  }

  /**
   * Lists tokens: all of them, or one page where `limit` is given. {@link each} and {@link pages} go through long
   * lists page by page.
   *
   * Endpoint `tokens.list` (GET /v1/acl/tokens). Right: acl:read. Spec 4.8, from service version 1.4.0. Errors:
   * Invalid (filter_conflict), PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  list(filter: TokenFilter = {}, options: PageOptions = {}): Promise<Result<M, TokenListEntry[]>> {
    return call(this.#core, pageCall(filter, options))
  }

  /**
   * Goes through a list token by token, page by page from the service.
   *
   * Endpoint `tokens.list` (GET /v1/acl/tokens). Right: acl:read. Spec 4.8, from service version 1.4.0. Errors:
   * Invalid (filter_conflict), PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   *
   * @example
   * for await (const token of client.tokens.each({ policy: policyId })) console.log(token.AccessorID)
   */
  async *each(
    filter: TokenFilter = {},
    options: PageOptions = {},
  ): AsyncGenerator<TokenListEntry, void, undefined> {
    for await (const page of this.#pages(filter, options)) yield* page.value
  }

  /**
   * Goes through a list page by page.
   *
   * Endpoint `tokens.list` (GET /v1/acl/tokens). Right: acl:read. Spec 4.8, from service version 1.4.0. Errors:
   * Invalid (filter_conflict), PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  async *pages(
    filter: TokenFilter = {},
    options: PageOptions = {},
  ): AsyncGenerator<Result<M, TokenListEntry[]>, void, undefined> {
    for await (const page of this.#pages(filter, options)) yield this.#core.shape(page)
  }

  /**
   * Follows a token: its present state, then each later one that is seen. `value` is `undefined` while the token does
   * not exist.
   *
   * Endpoint `tokens.read` (GET /v1/acl/token/:AccessorID). Right: acl:read. Spec 4.3, from service version 1.4.0.
   * Errors: Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   *
   * @example
   * for await (const { value, index } of client.tokens.watch(accessorId)) console.log(index, value?.Description)
   */
  watch(accessorId: string, options?: WatchOptions): Watch<Token | undefined> {
    return watchRecordCall(this.#core, readCall(accessorId), options)
  }

  /**
   * Follows the token that the client presents. Ends with `PermissionDenied` when it is deleted or expires.
   *
   * Endpoint `tokens.self` (GET /v1/acl/token/self). Right: self. Spec 4.4, from service version 1.4.0. Errors:
   * PermissionDenied (caller_unknown), LegacyMode.
   */
  watchSelf(options?: WatchOptions): Watch<Token> {
    return watchCall(this.#core, { endpoint: 'tokens.self' }, options)
  }

  /**
   * Follows a list of tokens.
   *
   * Endpoint `tokens.list` (GET /v1/acl/tokens). Right: acl:read. Spec 4.8, from service version 1.4.0. Errors:
   * Invalid (filter_conflict), PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  watchList(filter: TokenFilter = {}, options?: WatchOptions): Watch<TokenListEntry[]> {
    return watchCall(this.#core, { endpoint: 'tokens.list', query: filter }, options)
  }

  #pages(
    filter: TokenFilter,
    options: PageOptions,
  ): AsyncGenerator<WithMeta<TokenListEntry[]>, undefined, undefined> {
    return eachPage((page) => send(this.#core.settings, pageCall(filter, page)), options)
  }

  /** Local never changes (spec 4.5.4), so it may be read at any time before the update. */
  async #readLocal(accessorId: string, token: TokenUpdate, options: CallOptions): Promise<boolean> {
    const where = { ...options, namespace: token.Namespace ?? options.namespace }
    const { value } = await send(this.#core.settings, { ...readCall(accessorId), options: where })
    return value.Local
  }
}

function readCall(accessorId: string) {
  return { endpoint: 'tokens.read', params: { AccessorID: accessorId } } as const
}

function pageCall(filter: TokenFilter, options: PageOptions): CallOf<'tokens.list'> {
  const { limit, cursor } = options
  return { endpoint: 'tokens.list', query: { ...filter, limit, cursor }, options }
}
