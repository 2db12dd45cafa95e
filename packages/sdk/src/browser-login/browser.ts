/** Logins through an OpenID provider on web pages, in the extended edition. Decisions: login. */

import type { Client, Session } from '../client.ts'
import { LoginFailed } from '../errors.ts'
import { type CallOptions, checkCallNames, type NamesOf, type OwnNames } from '../options.ts'
import {
  type BrowserLoginOptions,
  checkLoginOptions,
  exchangeCode,
  type PendingLogin,
  RESPONSE_PARAMETERS,
  readResponse,
  requestAuthorization,
} from './code-flow.ts'

/** Stores a pending login until the user returns: a `Storage`, such as `sessionStorage`. */
export interface LoginStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

interface BeginLoginOptions extends BrowserLoginOptions {
  /** The page that calls {@link completeLogin}: one of the method's `AllowedRedirectURIs`. */
  readonly redirectUri: string
  /** Default `sessionStorage`. Use `localStorage` if the provider may return the user in another tab. */
  readonly store?: LoginStore | undefined
  /** Navigates to the provider. Default `location.assign`. */
  readonly navigate?: ((url: string) => void) | undefined
}

interface CompleteLoginOptions extends Omit<CallOptions, 'namespace'> {
  /** The store that was given to {@link beginLogin}. */
  readonly store?: LoginStore | undefined
  /** The URL that the browser returned to. Default: the address of the page, from which the code is then removed. */
  readonly url?: string | undefined
}

const BEGIN_NAMES: NamesOf<BeginLoginOptions, keyof BrowserLoginOptions> = {
  redirectUri: true,
  store: true,
  navigate: true,
}
const COMPLETE_NAMES: OwnNames<CompleteLoginOptions> = { store: true, url: true }

/** The browser globals that these helpers use. */
interface Page {
  readonly location: { readonly href: string; assign(url: string): void }
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: '', url: string): void }
  readonly sessionStorage: LoginStore
}

const page = globalThis as unknown as Page

const KEY_PREFIX = 'latchkey.login.'

/**
 * Sends the user to the provider. The promise may resolve, and scripts keep running, before the browser leaves the
 * page.
 *
 * @example
 * await beginLogin(client, { method: 'people', redirectUri: `${location.origin}/logged-in` })
 */
export async function beginLogin(client: Client, options: BeginLoginOptions): Promise<void> {
  checkLoginOptions(options, BEGIN_NAMES)
  const { store = page.sessionStorage, navigate = (url) => page.location.assign(url), ...login } = options
  const { url, state, pending } = await requestAuthorization(client, login)
  store.setItem(KEY_PREFIX + state, JSON.stringify(pending))
  navigate(url)
}

/**
 * Completes the login after the provider returned the user to this page. Call it once when the page loads. The code is
 * removed from the address and the store before it is exchanged, so a reload cannot use it again.
 *
 * @returns the session; `undefined` if the address has no answer of a provider, such as after a reload.
 * @throws LoginFailed `provider_refused`, or `state_unknown` for a login that began in another browser or is already
 * over.
 * @example
 * const session = await completeLogin(client)
 */
export async function completeLogin(
  client: Client,
  options: CompleteLoginOptions = {},
): Promise<Session | undefined> {
  checkCallNames(options, COMPLETE_NAMES)
  const { store = page.sessionStorage, url, ...call } = options
  const address = new URL(url ?? page.location.href)
  const back = readResponse(address.searchParams)
  if (back === undefined) return undefined
  for (const name of RESPONSE_PARAMETERS) address.searchParams.delete(name)
  if (url === undefined) page.history.replaceState(page.history.state, '', address.href)
  const key = KEY_PREFIX + back.state
  const kept = store.getItem(key)
  store.removeItem(key)
  if (kept === null) throw new LoginFailed('state_unknown', 'This browser began no such login, or it is over')
  const pending: PendingLogin = JSON.parse(kept)
  return exchangeCode(client, back, pending, call)
}
