/** Login, logout and the token of a session, which is replaced by a new login before it expires. */

import { PermissionDenied } from '../errors.ts'
import { NO_META, type WithMeta } from '../meta.ts'
import {
  type CallOptions,
  checkCallNames,
  type OwnNames,
  type Settings,
  type TokenGetter,
} from '../options.ts'
import { send } from '../request/send.ts'
import type { Token } from '../types.ts'

/**
 * How to log in: with `bearerToken`, with `getCredential`, or first with `bearerToken` and later with `getCredential`.
 */
export interface LoginOptions extends CallOptions {
  /** Name of the auth method. Not case-sensitive. */
  readonly method: string
  /** The credential of the identity provider. Without `getCredential`, the session ends with its token. */
  readonly bearerToken?: string | undefined
  /** Gets a fresh credential for every login of the session. */
  readonly getCredential?: (() => string | Promise<string>) | undefined
  /** Metadata that is added to the description of the token. */
  readonly meta?: Readonly<Record<string, string>> | undefined
}

const LOGIN_NAMES: OwnNames<LoginOptions> = {
  method: true,
  bearerToken: true,
  getCredential: true,
  meta: true,
}

/**
 * When a token is replaced, as fractions of its lifetime: RENEW_FROM plus a random part of RENEW_SPREAD. The jitter
 * spreads out clients that log in together.
 */
const RENEW_FROM = 0.7
const RENEW_SPREAD = 0.2

/** Maximum pause between attempts to replace a token that still works, in milliseconds. */
const RENEW_PAUSE_MAX = 30_000

interface Login {
  readonly token: Token
  /** As `performance.now()`. */
  readonly expiresAt: number
}

/** The token of a session. Concurrent calls share one login. */
export class SessionToken {
  readonly #settings: Settings
  /** Absent for a token of a login elsewhere; the session ends with that token. */
  readonly #options: LoginOptions | undefined
  #login: Login | undefined
  /** As `performance.now()`. */
  #renewAt = 0
  #running: Promise<Login> | undefined
  /** The part of a login that creates a token. */
  #request: Promise<unknown> | undefined
  #isEnded = false
  #logout: Promise<WithMeta<boolean>> | undefined

  private constructor(settings: Settings, options: LoginOptions | undefined, login?: Login) {
    this.#settings = settings
    this.#options = options
    this.#login = login
  }

  /**
   * Logs in. The signal and timeouts in the options apply only to the first login.
   *
   * @throws TypeError if neither `bearerToken` nor `getCredential` is given, or for an unknown option.
   */
  static async start(settings: Settings, options: LoginOptions): Promise<SessionToken> {
    checkCallNames(options, LOGIN_NAMES)
    const { bearerToken, getCredential, signal, timeout, attemptTimeout, retries } = options
    if (bearerToken === undefined && getCredential === undefined) {
      throw new TypeError('login needs bearerToken or getCredential')
    }
    const session = new SessionToken(settings, options)
    await session.#renew(bearerToken, { signal, timeout, attemptTimeout, retries })
    return session
  }

  /** Wraps the token of a login elsewhere. */
  static of(settings: Settings, token: Token): SessionToken {
    return new SessionToken(settings, undefined, { token, expiresAt: Infinity })
  }

  /** The token of the latest login. */
  get token(): Token {
    if (this.#login === undefined) throw new TypeError('The session has not logged in')
    return this.#login.token
  }

  /** Returns the token source for the settings of a client. */
  getter(): TokenGetter {
    return Object.assign(() => this.#secret(), { replace: (refused?: string) => this.#replace(refused) })
  }

  /** Deletes the token, once. */
  logout(options: CallOptions): Promise<WithMeta<boolean>> {
    this.#isEnded = true
    this.#logout ??= this.#end(options).catch((error: unknown) => {
      this.#logout = undefined
      throw error
    })
    return this.#logout
  }

  async #end(options: CallOptions): Promise<WithMeta<boolean>> {
    // A login in flight still creates a token.
    await this.#request?.catch(ignore)
    const { SecretID } = this.token
    try {
      return await logout({ ...this.#settings, token: () => SecretID }, options)
    } catch (error) {
      const gone = await whenUnknown(error)
      if (gone === undefined) throw error
      return gone
    }
  }

  async #secret(): Promise<string> {
    this.#checkOpen()
    const now = performance.now()
    if (this.#login === undefined || (now >= this.#login.expiresAt && this.#canRenew)) {
      return (await this.#renew()).token.SecretID
    }
    // The token still works: replace it in the background, and ignore a failed login.
    if (now >= this.#renewAt && this.#canRenew) this.#renew().catch(ignore)
    return this.#login.token.SecretID
  }

  async #replace(refused: string | undefined): Promise<boolean> {
    if (!this.#canRenew || this.#isEnded) return false
    // Another call may have replaced it already.
    if (this.#login?.token.SecretID === refused) await this.#renew()
    return true
  }

  get #canRenew(): boolean {
    return this.#options?.getCredential !== undefined
  }

  #renew(bearerToken?: string, options: CallOptions = {}): Promise<Login> {
    this.#running ??= this.#logIn(bearerToken, options).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #logIn(bearerToken: string | undefined, options: CallOptions): Promise<Login> {
    if (this.#options === undefined) throw new TypeError('The session cannot log in again')
    const { method, getCredential, meta, namespace } = this.#options
    try {
      const bearer = bearerToken ?? (await getCredential?.()) ?? ''
      this.#checkOpen()
      // Measured before the request and on the monotonic clock: a slow answer or a wrong clock does not extend it.
      const startedAt = performance.now()
      // The service would ignore the configured token. A retry may leave behind the token of an earlier attempt.
      const anonymous = { ...this.#settings, token: () => undefined }
      const request = send(anonymous, {
        endpoint: 'login.login',
        json: { AuthMethod: method, BearerToken: bearer, Meta: meta },
        secrets: [bearer],
        repeatable: 'always',
        options: { ...options, namespace },
      })
      this.#request = request
      const { value: token } = await request
      const lifetime = lifetimeOf(token)
      this.#renewAt = startedAt + lifetime * (RENEW_FROM + RENEW_SPREAD * Math.random())
      this.#login = { token, expiresAt: startedAt + lifetime }
      return this.#login
    } catch (error) {
      const now = performance.now()
      const left = (this.#login?.expiresAt ?? now) - now
      this.#renewAt = now + Math.min(RENEW_PAUSE_MAX, left / 4)
      throw error
    }
  }

  #checkOpen(): void {
    if (this.#isEnded) throw new TypeError('The session has logged out')
  }
}

/** In milliseconds. */
function lifetimeOf({ CreateTime, ExpirationTime }: Token): number {
  return ExpirationTime === undefined ? Infinity : Date.parse(ExpirationTime) - Date.parse(CreateTime)
}

/** Deletes the token that the settings present. */
export function logout(settings: Settings, options: CallOptions): Promise<WithMeta<boolean>> {
  return send(
    // Omits `replace`: a logout must not cause a new login.
    { ...settings, token: () => settings.token() },
    { endpoint: 'login.logout', repeatable: 'always', recover: whenUnknown, options },
  )
}

/** Treats an unknown token as logged out. */
async function whenUnknown(refusal: unknown): Promise<WithMeta<true> | undefined> {
  const isGone = refusal instanceof PermissionDenied && refusal.code === 'caller_unknown'
  return isGone ? { ...NO_META, requestId: refusal.requestId, value: true } : undefined
}

function ignore(): void {}
