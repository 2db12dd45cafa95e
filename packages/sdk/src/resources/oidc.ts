/** Logins in a browser, through an OpenID provider, in the extended edition. Decisions: login. */

import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, Settings } from '../options.ts'
import type { AuthUrl, Token } from '../types.ts'

/** The beginning of a login in a browser. */
export interface AuthUrlOptions extends CallOptions {
  /** Name of the auth method, in any case. */
  readonly method: string
  /** Where the browser returns: one of the method's `AllowedRedirectURIs`. */
  readonly redirectUri: string
  /** A secret of the client that the callback must repeat. */
  readonly clientNonce?: string | undefined
  /** Texts that the description of the token will hold. */
  readonly meta?: Readonly<Record<string, string>> | undefined
}

/** What the browser brought back to the redirect URI. */
export interface OidcCallbackOptions extends CallOptions {
  /** The method and, in `namespace`, the namespace of the beginning. */
  readonly method: string
  /** `state` of the URL to which the browser returned. */
  readonly state: string
  /** `code` of that URL. */
  readonly code: string
  /** `iss` of that URL, if it has one. */
  readonly iss?: string | undefined
  /** The one of the beginning, if it had one. */
  readonly clientNonce?: string | undefined
}

/** The token of the client is not sent with either call. */
export class Oidc<M extends Mode> {
  readonly #core: Core<M>

  constructor({ settings, shape }: Core<M>) {
    this.#core = { settings: withoutToken(settings), shape }
  }

  /**
   * Begins a login: the answer has the URL to which to send the browser. It is valid for ten minutes, once.
   *
   * Endpoint `login.authUrl` (POST /v1/acl/oidc/auth-url). Right: none. Spec 2.1, from service version 1.8.0, in
   * the extended edition. Errors: Invalid (field_required, field_invalid, endpoint_not_built), PermissionDenied
   * (auth_method_unknown, login_refused), Unavailable (provider_unavailable, too_many_logins), LegacyMode.
   *
   * @example
   * const clientNonce = crypto.randomUUID()
   * const { AuthURL } = await client.oidc.authUrl({ method: 'people', redirectUri, clientNonce })
   */
  authUrl(options: AuthUrlOptions): Promise<Result<M, AuthUrl>> {
    const { method, redirectUri, clientNonce, meta } = options
    return call(this.#core, {
      endpoint: 'login.authUrl',
      json: { AuthMethod: method, RedirectURI: redirectUri, ClientNonce: clientNonce, Meta: meta },
      secrets: [clientNonce],
      // What an earlier attempt began expires.
      repeatable: 'always',
      options,
    })
  }

  /**
   * Completes a login: exchanges what the browser brought back for a token. The state is used up, whatever the answer, so
   * a callback whose outcome is unknown is not repeated.
   *
   * Endpoint `login.callback` (POST /v1/acl/oidc/callback). Right: none. Spec 2.1, from service version 1.8.0, in
   * the extended edition. Errors: Invalid (field_required, field_invalid, endpoint_not_built), PermissionDenied
   * (auth_method_unknown, login_refused, login_unbound), Unavailable (provider_unavailable, too_many_logins,
   * too_many_live_tokens), LegacyMode.
   *
   * @example
   * const { SecretID } = await client.oidc.callback({ method: 'people', state, code, clientNonce })
   * const person = client.withToken(SecretID)
   */
  callback(options: OidcCallbackOptions): Promise<Result<M, Token>> {
    const { method, state, code, iss, clientNonce } = options
    return call(this.#core, {
      endpoint: 'login.callback',
      json: { AuthMethod: method, State: state, Code: code, Iss: iss, ClientNonce: clientNonce },
      secrets: [state, code, clientNonce],
      options,
    })
  }
}

function withoutToken(settings: Settings): Settings {
  return { ...settings, token: () => undefined }
}
