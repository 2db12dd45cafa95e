/** The authorization code flow, shared by all browser login helpers. */

import type { Client, Session } from '../client.ts'
import { ContractBroken, LoginFailed } from '../errors.ts'
import { type CallOptions, checkCallNames, type OwnNames } from '../options.ts'
import { randomUuid } from '../resources/uuid.ts'

/** Options of every browser login. */
export interface BrowserLoginOptions extends CallOptions {
  /** Name of the auth method. Not case-sensitive. */
  readonly method: string
  /** Metadata that is added to the description of the token. */
  readonly meta?: Readonly<Record<string, string>> | undefined
}

const LOGIN_NAMES: OwnNames<BrowserLoginOptions> = { method: true, meta: true }

/** @param own the names of the options that only one kind of browser login has. */
export function checkLoginOptions(options: object, own: Readonly<Record<string, true>>): void {
  checkCallNames(options, { ...LOGIN_NAMES, ...own })
}

/** The state of a login between its start and its callback. */
export interface PendingLogin {
  readonly method: string
  readonly namespace?: string | undefined
  readonly clientNonce: string
}

/** Begins a login, with a client nonce that prevents others from completing it. */
export async function requestAuthorization(
  client: Client,
  options: BrowserLoginOptions & { readonly redirectUri: string },
): Promise<{ readonly url: string; readonly state: string; readonly pending: PendingLogin }> {
  const clientNonce = randomUuid()
  const { AuthURL: url } = await client.oidc.authUrl({ ...options, clientNonce })
  const { protocol, searchParams } = URL.canParse(url) ? new URL(url) : new URL('about:blank')
  const state = searchParams.get('state')
  // A page would run a `javascript:` URL as its own script.
  if (state === null || !/^https?:$/.test(protocol)) {
    const message = 'login.authUrl: the answer has no URL of a login'
    throw new ContractBroken({ message, endpoint: 'login.authUrl', status: 200 })
  }
  const { method, namespace } = options
  return { url, state, pending: { method, clientNonce, ...(namespace === undefined ? {} : { namespace }) } }
}

/** The query parameters of the provider's redirect. */
export interface AuthorizationResponse {
  readonly state: string
  readonly code: string | undefined
  readonly iss: string | undefined
  readonly error: string | undefined
  readonly description: string | undefined
}

/** Every parameter that a provider may add to a redirect URI. */
export const RESPONSE_PARAMETERS = [
  'code',
  'state',
  'iss',
  'session_state',
  'error',
  'error_description',
  'error_uri',
]

/** @returns `undefined` if the query is not an authorization response. */
export function readResponse(query: URLSearchParams): AuthorizationResponse | undefined {
  const read = (name: string) => query.get(name) ?? undefined
  const [state, code, error] = [read('state'), read('code'), read('error')]
  if (state === undefined || (code === undefined && error === undefined)) return undefined
  return { state, code, error, iss: read('iss'), description: read('error_description') }
}

/** Error codes of RFC 6749 4.1.2.1. */
const PROVIDER_ERROR = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,100}$/
const DESCRIPTION_LENGTH_MAX = 500

/**
 * Completes a login.
 *
 * @throws LoginFailed `provider_refused`, or the LatchkeyError of the callback.
 */
export async function exchangeCode(
  client: Client,
  { code, state, iss, error = '', description }: AuthorizationResponse,
  pending: PendingLogin,
  options: CallOptions,
): Promise<Session> {
  if (code === undefined) {
    const known = PROVIDER_ERROR.test(error) ? error : undefined
    throw new LoginFailed('provider_refused', `The provider refused the login: ${known ?? 'unknown error'}`, {
      error: known,
      description: description?.slice(0, DESCRIPTION_LENGTH_MAX).replaceAll(/\p{Cc}/gu, ' '),
    })
  }
  return client.withLogin(await client.oidc.callback({ ...options, ...pending, state, code, iss }))
}
