/** Tokens. Spec 4. */

import { PAGE_LIMIT_MAX } from '../contract.ts'
import { type Core, call, watchRecordCall } from '../core.ts'
import { Conflict, LatchkeyError, PermissionDenied, Unavailable } from '../errors.ts'
import { Tokens as RegularTokens } from '../generated/tokens.ts'
import type { Mode, Result, WithMeta } from '../meta.ts'
import {
  type CallOptions,
  type OwnNames,
  PAGE_NAMES,
  type PageOptions,
  type ReadOptions,
  type Settings,
  type WatchOptions,
} from '../options.ts'
import type { CallOf } from '../request/call.ts'
import { send } from '../request/send.ts'
import type {
  BootstrapToken,
  ExpandedToken,
  Token,
  TokenCreate,
  TokenListEntry,
  TokenUpdate,
} from '../types.ts'
import type { Watch } from '../watch.ts'
import type { TokenFilter } from './selections.ts'
import { randomUuid } from './uuid.ts'

/** `expanded`: also return the contents of all policies and roles that affect the token. Spec 4.3. */
export interface TokenReadOptions extends ReadOptions {
  readonly expanded?: boolean | undefined
}

const READ_NAMES: OwnNames<TokenReadOptions> = { expanded: true }

/** Fields that bootstrap and reads with `expanded` add to the record. Updates do not accept them. */
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

export class Tokens<M extends Mode> extends RegularTokens<M> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    super(core)
    this.#core = core
  }

  /**
   * Creates a token. The SDK generates an absent AccessorID and SecretID, so a retry recognizes its own token and
   * creates no second one. With a given SecretID (if empty, the service generates one, as versions before 1.5.0 always
   * do), a create with an unknown outcome is not retried.
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
   * Errors: Invalid (id_missing, id_invalid, answer_too_large), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing), LegacyMode.
   */
  read(
    accessorId: string,
    options: TokenReadOptions & { readonly expanded: true },
  ): Promise<Result<M, ExpandedToken>>
  read(accessorId: string, options?: TokenReadOptions): Promise<Result<M, Token>>
  read(accessorId: string, options: TokenReadOptions = {}): Promise<Result<M, Token>> {
    const query = { expanded: options.expanded }
    return call(this.#core, { ...readCall(accessorId), query, options, ownNames: READ_NAMES })
  }

  /**
   * Replaces the description and all links of a token; omitted ones are cleared, so send the whole record as read, with
   * your changes. Fields added by `expanded` or bootstrap are not sent. The service would read an absent Local as
   * false, so the SDK always sends it, and reads the token first if the record lacks it.
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
   * Iterates over a list of tokens, which it reads page by page.
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
   * Iterates over a list page by page.
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
   * Follows a token: yields its current state, then later states; a slow consumer may skip some. `value` is `undefined`
   * while the token does not exist.
   *
   * Endpoint `tokens.read` (GET /v1/acl/token/:AccessorID). Right: acl:read. Spec 4.3, from service version 1.4.0.
   * Errors: Invalid (id_missing, id_invalid, answer_too_large), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing), LegacyMode.
   *
   * @example
   * for await (const { value, index } of client.tokens.watch(accessorId)) console.log(index, value?.Description)
   */
  watch(accessorId: string, options?: WatchOptions): Watch<Token | undefined> {
    return watchRecordCall(this.#core, readCall(accessorId), options)
  }

  #pages(
    filter: TokenFilter,
    options: PageOptions,
  ): AsyncGenerator<WithMeta<TokenListEntry[]>, undefined, undefined> {
    return eachPage((page) => send(this.#core.settings, pageCall(filter, page)), options)
  }

  /** Reads the stored Local. It never changes (spec 4.5.4), so a read before the update is safe. */
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
  return { endpoint: 'tokens.list', query: { ...filter, limit, cursor }, options, ownNames: PAGE_NAMES }
}

/**
 * Creates a token with IDs generated here. If an attempt may have been applied and its retry is refused because an ID
 * is in use, reads the token with the secret that only this call knows: if the token exists, this call created it.
 */
async function createToken(
  settings: Settings,
  token: TokenCreate,
  options: CallOptions,
): Promise<WithMeta<Token>> {
  const isOwnSecret = token.SecretID === undefined
  const AccessorID = token.AccessorID ?? (isOwnSecret ? randomUuid() : undefined)
  const SecretID = token.SecretID ?? randomUuid()
  return await send(settings, {
    endpoint: 'tokens.create',
    json: { ...token, AccessorID, SecretID },
    secrets: [SecretID],
    // A caller's own secret may belong to an older token, which would be mistaken for the new one.
    ...(isOwnSecret && AccessorID !== '' ? { repeatable: 'always' } : {}),
    ...(AccessorID === undefined || AccessorID === '' ? {} : { recordId: AccessorID }),
    recover: async (refusal) => (refusal instanceof Conflict ? await readOwn(refusal) : undefined),
    options,
  })

  async function readOwn(refusal: Conflict): Promise<WithMeta<Token> | undefined> {
    try {
      const own = await send({ ...settings, token: () => SecretID }, { endpoint: 'tokens.self', options })
      return own.value.AccessorID === AccessorID ? own : undefined
    } catch (error) {
      if (error instanceof PermissionDenied) return undefined
      if (!(error instanceof LatchkeyError)) throw error
      throw new Unavailable({
        message: `tokens.create: an attempt is in doubt, and the token cannot be read (${error.message})`,
        endpoint: 'tokens.create',
        maybeApplied: true,
        recordId: AccessorID,
        cause: refusal,
      })
    }
  }
}

/**
 * Yields the pages in order, from `cursor` or the first page. A service without paging returns the whole list as one
 * page.
 *
 * @param read reads one page.
 */
async function* eachPage<T>(
  read: (options: PageOptions) => Promise<WithMeta<T[]>>,
  options: PageOptions = {},
): AsyncGenerator<WithMeta<T[]>, undefined, undefined> {
  const limit = options.limit ?? PAGE_LIMIT_MAX
  let { cursor } = options
  do {
    const page = await read({ ...options, limit, cursor })
    yield page
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
