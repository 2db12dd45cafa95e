/** The client: the resources, the few calls that belong to none, and variants of itself. */

import { type Core, call } from './core.ts'
import { ContractBroken } from './errors.ts'
import type { Mode, Result, Shape } from './meta.ts'
import {
  type CallOptions,
  type ClientOptions,
  type PageOptions,
  readOptions,
  type Settings,
  type TokenSource,
  tokenSource,
} from './options.ts'
import { Agent } from './resources/agent.ts'
import { Kv } from './resources/kv.ts'
import { Legacy } from './resources/legacy.ts'
import { Namespaces } from './resources/namespaces.ts'
import { Policies } from './resources/policies.ts'
import { Roles } from './resources/roles.ts'
import { Status } from './resources/status.ts'
import { Tokens } from './resources/tokens.ts'
import { send } from './send.ts'
import type {
  AuthorizeAnswer,
  AuthorizeCheck,
  BootstrapToken,
  TokenReference,
  WhoCanRequest,
} from './types.ts'

export interface AuthorizeOptions extends CallOptions {
  /** Also say which rule decided, and how the token has it. */
  readonly explain?: boolean | undefined
  /** Decide for the token with this accessor instead of the presented one; needs acl:read. */
  readonly accessor?: string | undefined
}

/** A client of one service. Holds no connection: it need not be closed. Made by {@link createClient}. */
export class Client<M extends Mode = 'value'> {
  readonly #core: Core<M>
  readonly tokens: Tokens<M>
  readonly policies: Policies<M>
  readonly roles: Roles<M>
  readonly kv: Kv<M>
  readonly namespaces: Namespaces<M>
  readonly legacy: Legacy<M>
  readonly status: Status<M>
  readonly agent: Agent<M>

  constructor(settings: Settings, shape: Shape<M>) {
    const core = { settings, shape }
    this.#core = core
    this.tokens = new Tokens(core)
    this.policies = new Policies(core)
    this.roles = new Roles(core)
    this.kv = new Kv(core)
    this.namespaces = new Namespaces(core)
    this.legacy = new Legacy(core)
    this.status = new Status(core)
    this.agent = new Agent(core)
  }

  /**
   * Decides up to 64 checks for the presented token, answered in their order.
   *
   * Endpoint `decisions.authorize` (POST /v1/internal/acl/authorize). Right: none. Spec 5, from service version
   * 1.4.0. Errors: Invalid (batch_too_large, field_invalid, id_invalid), PermissionDenied (caller_unknown,
   * privilege_missing), NotFound, LegacyMode.
   *
   * @example
   * const [answer] = await client.authorize([{ Resource: 'key', Segment: 'web/port', Access: 'read' }])
   * if (!answer.Allow) throw new Error('no')
   */
  async authorize<const C extends readonly AuthorizeCheck[]>(
    checks: C,
    options: AuthorizeOptions = {},
  ): Promise<Result<M, { -readonly [K in keyof C]: AuthorizeAnswer }>> {
    const { explain, accessor } = options
    const answer = await send<'decisions.authorize', { -readonly [K in keyof C]: AuthorizeAnswer }>(
      this.#core.settings,
      {
        endpoint: 'decisions.authorize',
        query: { explain, accessor },
        json: checks,
        options,
      },
    )
    if (answer.value.length === checks.length) return this.#core.shape(answer)
    const message = `authorize: ${checks.length} checks have ${answer.value.length} answers`
    throw new ContractBroken({ message, endpoint: 'decisions.authorize', status: 200, meta: answer })
  }

  /**
   * Lists the tokens that may do something: all of them, or one page where `limit` is given.
   *
   * Endpoint `decisions.whoCan` (POST /v1/internal/acl/who-can). Right: acl:read. An extension of the spec, from
   * service version 1.4.0. Errors: Invalid (field_invalid), PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  whoCan(check: WhoCanRequest, options: PageOptions = {}): Promise<Result<M, TokenReference[]>> {
    const { limit, cursor } = options
    return call(this.#core, { endpoint: 'decisions.whoCan', query: { limit, cursor }, json: check, options })
  }

  /**
   * Makes the first management token, once in the life of a service. If its outcome is unknown it is not repeated, and
   * the secret may be lost: operators can reset it.
   *
   * Endpoint `tokens.bootstrap` (PUT /v1/acl/bootstrap). Right: none. Spec 9.2, from service version 1.4.0. Errors:
   * PermissionDenied (bootstrap_done), Invalid (bootstrap_reset_invalid), LegacyMode.
   */
  bootstrap(options: CallOptions = {}): Promise<Result<M, BootstrapToken>> {
    return call(this.#core, { endpoint: 'tokens.bootstrap', options })
  }

  /** The same client presenting another secret; without one it is anonymous. */
  withToken(token: TokenSource | undefined): Client<M> {
    const { settings, shape } = this.#core
    return new Client({ ...settings, token: tokenSource(token) }, shape)
  }

  /** The same client in another namespace (extended edition). Spec 4.9. */
  withNamespace(namespace: string | undefined): Client<M> {
    const { settings, shape } = this.#core
    return new Client({ ...settings, namespace }, shape)
  }

  /** The same client, answering `{ value, index, knownLeader, lastContactMs, requestId, nextCursor }`. */
  withMeta(): Client<'meta'> {
    return new Client<'meta'>(this.#core.settings, (answer) => answer)
  }

  /** Where the client points, without its secret. */
  toJSON(): { address: string; namespace?: string } {
    const { address, namespace } = this.#core.settings
    return namespace === undefined ? { address } : { address, namespace }
  }
}

/**
 * Makes a client. Options come first, then the environment (in Node: LATCHKEY_ADDR, LATCHKEY_TOKEN,
 * LATCHKEY_TOKEN_FILE), then defaults. Nothing is sent.
 *
 * @throws TypeError where there is no address, or an option is not usable.
 */
export function createClient(options: ClientOptions = {}): Client {
  return new Client<'value'>(readOptions(options), (answer) => answer.value)
}
