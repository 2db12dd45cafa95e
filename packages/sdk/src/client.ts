/// <reference lib="esnext.disposable" preserve="true" />
/** The client: its resources, the calls that belong to no resource, and variants with other settings. */

import type { Core } from './core.ts'
import { ContractBroken } from './errors.ts'
import { Agent } from './generated/agent.ts'
import { Areas } from './generated/areas.ts'
import { AuthMethods } from './generated/auth-methods.ts'
import { BindingRules } from './generated/binding-rules.ts'
import { Calls } from './generated/calls.ts'
import { Catalog } from './generated/catalog.ts'
import { ConfigEntries } from './generated/config-entries.ts'
import { Coordinates } from './generated/coordinates.ts'
import { Health } from './generated/health.ts'
import { Intentions } from './generated/intentions.ts'
import { Legacy } from './generated/legacy.ts'
import { Namespaces } from './generated/namespaces.ts'
import { Oidc } from './generated/oidc.ts'
import { Operator } from './generated/operator.ts'
import { Sessions } from './generated/sessions.ts'
import { Status } from './generated/status.ts'
import { Locks } from './locks/locks.ts'
import type { Mode, Result, Shape } from './meta.ts'
import {
  type CallOptions,
  type ClientOptions,
  type OwnNames,
  readOptions,
  type Settings,
  type TokenSource,
  tokenSource,
} from './options.ts'
import { send } from './request/send.ts'
import { Kv } from './resources/kv.ts'
import { type LoginOptions, logout, SessionToken } from './resources/login.ts'
import { Policies, Roles } from './resources/named-records.ts'
import { Snapshots } from './resources/snapshots.ts'
import { Tokens } from './resources/tokens.ts'
import { Txn } from './resources/txn.ts'
import type { AuthorizeAnswer, AuthorizeCheck, Token } from './types.ts'

export interface AuthorizeOptions extends CallOptions {
  /** Also return the rule that decided, and the link through which the token has it. */
  readonly explain?: boolean | undefined
  /** Decide for the token with this accessor instead of the presented one; needs acl:read. */
  readonly accessor?: string | undefined
}

const AUTHORIZE_NAMES: OwnNames<AuthorizeOptions> = { explain: true, accessor: true }

/** A client of one service, created by {@link createClient}. It owns no connections and need not be closed. */
export class Client<M extends Mode = 'value'> extends Calls<M> {
  readonly #core: Core<M>
  readonly tokens: Tokens<M>
  readonly policies: Policies<M>
  readonly roles: Roles<M>
  readonly authMethods: AuthMethods<M>
  readonly bindingRules: BindingRules<M>
  readonly oidc: Oidc<M>
  readonly kv: Kv<M>
  /** Transactions over keys, nodes, services and checks. */
  readonly txn: Txn<M>
  readonly intentions: Intentions<M>
  readonly configEntries: ConfigEntries<M>
  readonly sessions: Sessions<M>
  /** Locks on keys; each has its own session. */
  readonly locks: Locks
  readonly coordinates: Coordinates<M>
  readonly areas: Areas<M>
  readonly operator: Operator<M>
  readonly catalog: Catalog<M>
  readonly namespaces: Namespaces<M>
  readonly legacy: Legacy<M>
  readonly status: Status<M>
  readonly snapshots: Snapshots<M>
  readonly agent: Agent<M>
  /** Health checks of nodes and service instances. */
  readonly health: Health<M>

  constructor(settings: Settings, shape: Shape<M>) {
    const core = { settings, shape }
    super(core)
    this.#core = core
    this.tokens = new Tokens(core)
    this.policies = new Policies(core)
    this.roles = new Roles(core)
    this.authMethods = new AuthMethods(core)
    this.bindingRules = new BindingRules(core)
    // Neither call of a browser login presents the client's token.
    this.oidc = new Oidc({ settings: { ...settings, token: () => undefined }, shape })
    this.kv = new Kv(core)
    this.txn = new Txn(core)
    this.intentions = new Intentions(core)
    this.configEntries = new ConfigEntries(core)
    this.sessions = new Sessions(core)
    this.locks = new Locks(settings)
    this.coordinates = new Coordinates(core)
    this.areas = new Areas(core)
    this.operator = new Operator(core)
    this.catalog = new Catalog(core)
    this.namespaces = new Namespaces(core)
    this.legacy = new Legacy(core)
    this.status = new Status(core)
    this.snapshots = new Snapshots(core)
    this.agent = new Agent(core)
    this.health = new Health(core)
  }

  /**
   * Decides up to 64 checks for the presented token, and returns the answers in the same order.
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
        ownNames: AUTHORIZE_NAMES,
      },
    )
    if (answer.value.length === checks.length) return this.#core.shape(answer)
    const message = `authorize: ${checks.length} checks have ${answer.value.length} answers`
    throw new ContractBroken({ message, endpoint: 'decisions.authorize', status: 200, meta: answer })
  }

  /**
   * Exchanges a credential of an identity provider for a token. The token of this client is not sent. With
   * `getCredential`, the session logs in again before its token expires, and once per call if the service no longer
   * knows the token.
   *
   * Endpoint `login.login` (POST /v1/acl/login). Right: none. Spec 2.1, from service version 1.5.0. Errors: Invalid
   * (field_required, field_invalid), PermissionDenied (auth_method_unknown, login_refused, login_unbound),
   * Unavailable (provider_unavailable, too_many_logins, too_many_live_tokens), LegacyMode.
   *
   * @example
   * await using session = await client.login({ method: 'ci', getCredential: () => readFile(path, 'utf8') })
   * await session.kv.put('builds/last', '1234')
   */
  async login(options: LoginOptions): Promise<Session<M>> {
    const { settings, shape } = this.#core
    return new Session(settings, shape, await SessionToken.start(settings, options))
  }

  /**
   * Deletes the token that this client presents. Only tokens created by a login can log out.
   *
   * Endpoint `login.logout` (POST /v1/acl/logout). Right: self. Spec 2.1, from service version 1.5.0. Errors:
   * PermissionDenied (privilege_missing, caller_unknown), LegacyMode.
   */
  async logout(options: CallOptions = {}): Promise<Result<M, boolean>> {
    const { settings, shape } = this.#core
    return shape(await logout(settings, options))
  }

  /** Returns a client with the same settings that presents another secret, or none (anonymous). */
  withToken(token: TokenSource | undefined): Client<M> {
    const { settings, shape } = this.#core
    return new Client({ ...settings, token: tokenSource(token) }, shape)
  }

  /**
   * Returns a session that presents the token of a login, such as the result of {@link Oidc.callback}. The session ends
   * with this token.
   */
  withLogin(token: Token): Session<M> {
    const { settings, shape } = this.#core
    return new Session(settings, shape, SessionToken.of(settings, token))
  }

  /** Returns a client with the same settings in another namespace (extended edition). Spec 4.9. */
  withNamespace(namespace: string | undefined): Client<M> {
    const { settings, shape } = this.#core
    return new Client({ ...settings, namespace }, shape)
  }

  /**
   * Returns a client with the same settings whose calls the server forwards to another datacenter. A local token is
   * valid only in its own datacenter.
   *
   * @param datacenter `undefined`: the datacenter of the server.
   */
  withDatacenter(datacenter: string | undefined): Client<M> {
    const { settings, shape } = this.#core
    return new Client({ ...settings, datacenter }, shape)
  }

  /**
   * Returns a client with the same settings whose methods resolve to `WithMeta`: the value and the facts from the
   * headers.
   */
  withMeta(): Client<'meta'> {
    return new Client<'meta'>(this.#core.settings, (answer) => answer)
  }

  /** Returns the settings of the client, without its secret. */
  toJSON(): { address: string; namespace?: string } {
    const { address, namespace } = this.#core.settings
    return namespace === undefined ? { address } : { address, namespace }
  }
}

/**
 * A client that has logged in and presents the token of the login, created by {@link Client.login} or
 * {@link Client.withLogin}. `await using` logs it out.
 */
export class Session<M extends Mode = 'value'> extends Client<M> {
  readonly #token: SessionToken
  readonly #shape: Shape<M>

  constructor(settings: Settings, shape: Shape<M>, token: SessionToken) {
    super({ ...settings, token: token.getter() }, shape)
    this.#token = token
    this.#shape = shape
  }

  /** The AccessorID of the latest login's token. */
  get accessorId(): string {
    return this.#token.token.AccessorID
  }

  /** When the latest login's token expires; `undefined` if it never does. */
  get expirationTime(): string | undefined {
    return this.#token.token.ExpirationTime
  }

  /** Deletes the token. Later calls of the session, and of clients made from it, throw a `TypeError`. */
  override async logout(options: CallOptions = {}): Promise<Result<M, boolean>> {
    return this.#shape(await this.#token.logout(options))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.logout()
  }
}

/**
 * Creates a client, without sending anything. Options take precedence over the environment (in Node: LATCHKEY_ADDR,
 * LATCHKEY_TOKEN, LATCHKEY_TOKEN_FILE), which takes precedence over defaults.
 *
 * @throws TypeError if the address is missing or an option is invalid.
 */
export function createClient(options: ClientOptions = {}): Client {
  return new Client<'value'>(readOptions(options), (answer) => answer.value)
}
