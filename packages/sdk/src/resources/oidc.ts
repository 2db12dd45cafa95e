/** Browser logins through an OpenID provider, in the extended edition. Decisions: login. */

import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, OwnNames, Settings } from '../options.ts'
import type { AuthUrl, Token } from '../types.ts'

/** The start of a browser login. */
export interface AuthUrlOptions extends CallOptions {
  /** Name of the auth method. Not case-sensitive. */
  readonly method: string
  /** Where the browser returns: one of the method's `AllowedRedirectURIs`. */
  readonly redirectUri: string
  /** A secret chosen by the client, which the callback must repeat. */
  readonly clientNonce?: string | undefined
  /** Metadata that is added to the description of the token. */
  readonly meta?: Readonly<Record<string, string>> | undefined
}

const START_NAMES: OwnNames<AuthUrlOptions> = {
  method: true,
  redirectUri: true,
  clientNonce: true,
  meta: true,
}

/** The parameters with which the browser returned to the redirect URI. */
export interface OidcCallbackOptions extends CallOptions {
  /** The method of the start; its namespace goes into `namespace`. */
  readonly method: string
  /** `state` from the URL to which the browser returned. */
  readonly state: string
  /** `code` from that URL. */
  readonly code: string
  /** `iss` from that URL, if present. */
  readonly iss?: string | undefined
  /** The `clientNonce` of the start, if it had one. */
  readonly clientNonce?: string | undefined
}

const CALLBACK_NAMES: OwnNames<OidcCallbackOptions> = {
  method: true,
  state: true,
  code: true,
  iss: true,
  clientNonce: true,
}

/** Browser logins. Neither call sends the client's token. */
export class Oidc<M extends Mode> {
  readonly #core: Core<M>

  constructor({ settings, shape }: Core<M>) {
    this.#core = { settings: withoutToken(settings), shape }
  }

  /**
   * Begins a login, and returns the URL to which to send the browser. The URL is valid once, for ten minutes.
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
      // The login of an earlier attempt expires unused.
      repeatable: 'always',
      options,
      ownNames: START_NAMES,
    })
  }

  /**
   * Completes a login: exchanges the authorization code for a token. The state works once, even if the call fails, so a
   * callback with an unknown outcome is not retried.
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
      ownNames: CALLBACK_NAMES,
    })
  }
}

function withoutToken(settings: Settings): Settings {
  return { ...settings, token: () => undefined }
}
