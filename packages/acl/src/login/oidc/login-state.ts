/** A browser login between its start and its callback. Decisions: login. */

import { AclError, shorten } from '@latchkey/contract'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { digestOf } from '../../hash.ts'
import type { Random } from '../../ports.ts'
import type { AuthMethodRecord } from '../../records/login-records.ts'
import { type LoginMeta, loginDescription } from '../login-description.ts'
import { loginRefused } from '../login-refusal.ts'
import type { Verification } from '../verifier.ts'

/** The stored state of a login; never part of an answer. */
export interface LoginState extends OidcChallenge {
  /** Hash of the state, in hex: the content of the store is not sufficient to complete the login. */
  readonly stateHash: string
  readonly namespace: string
  readonly authMethod: string
  /** Generation of the method: the state is invalid once the generation has changed. */
  readonly generation: number
  readonly clientNonceHash?: string
  readonly meta?: LoginMeta
  readonly expiresAt: number
}

const LOGIN_STATE_MS = 600_000
const SECRET_BYTES = 32

/**
 * Begins a login.
 * @param clientNonce a secret chosen by the client, which the callback must repeat; none if empty.
 * @returns the state in plain text, for the provider, and the record to store.
 */
export function beginLogin(
  method: OidcMethod,
  {
    redirectUri,
    clientNonce = '',
    meta,
  }: { redirectUri: string; clientNonce?: string | undefined; meta?: LoginMeta | undefined },
  { random, now }: { readonly random: Random; readonly now: number },
): { readonly state: string; readonly kept: LoginState } {
  if (!isRedirectUriAllowed(redirectUri, method.Config.AllowedRedirectURIs)) {
    throw new AclError('field_invalid', `unauthorized redirect_uri: ${shorten(redirectUri)}`, {
      field: 'RedirectURI',
    })
  }
  // Checks Meta now instead of when the user returns.
  loginDescription(meta ?? {}, 'oidc')
  const state = randomSecret(random)
  const kept = {
    stateHash: loginStateHash(state),
    namespace: method.Namespace,
    authMethod: method.Name,
    generation: method.Generation,
    redirectUri,
    nonce: randomSecret(random),
    pkceVerifier: randomSecret(random),
    ...(clientNonce === '' ? {} : { clientNonceHash: loginStateHash(clientNonce) }),
    ...(meta === undefined ? {} : { meta }),
    expiresAt: now + LOGIN_STATE_MS,
  }
  return { state, kept }
}

/** Checks a callback against the state that it consumed. A state of another method is treated as unknown. */
export function resumeLogin(
  kept: LoginState | undefined,
  method: OidcMethod,
  { clientNonce = '', now }: { readonly clientNonce?: string | undefined; readonly now: number },
): LoginState {
  const isOurs =
    kept !== undefined &&
    now < kept.expiresAt &&
    kept.namespace === method.Namespace &&
    kept.authMethod === method.Name &&
    kept.generation === method.Generation
  if (!isOurs) throw loginRefused('state_invalid')
  const { clientNonceHash } = kept
  if (clientNonceHash !== undefined && clientNonceHash !== loginStateHash(clientNonce)) {
    throw loginRefused('client_nonce_invalid')
  }
  return kept
}

/** The S256 challenge of a verifier, which a provider stores with a code (RFC 7636 4.2). */
export function pkceChallenge(verifier: string): string {
  const base64 = btoa(String.fromCharCode(...sha256(new TextEncoder().encode(verifier))))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

export function loginStateHash(secret: string): string {
  return bytesToHex(digestOf(secret))
}

function randomSecret(random: Random): string {
  return bytesToHex(random.bytes(SECRET_BYTES))
}

/**
 * Whether a redirect URI is among the allowed ones, compared as text. On a loopback host, any port is allowed: programs
 * on the user's machine cannot know their port in advance.
 */
export function isRedirectUriAllowed(uri: string, allowed: readonly string[]): boolean {
  if (allowed.includes(uri)) return true
  const loopback = withoutPort(uri)
  return loopback !== undefined && allowed.some((each) => withoutPort(each) === loopback)
}

/**
 * Matches the text itself: a URL parser would convert names such as `127.1` to loopback hosts. Only a port, a path or a
 * query may follow the host, which rules out a user (`127.0.0.1:80@evil`), a longer name or a zone (`[::1%25x]`).
 */
const LOOPBACK = /^(https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:\/[^?#]*)?(?:\?[^#]*)?)$/

function withoutPort(uri: string): string | undefined {
  const [, origin, rest] = LOOPBACK.exec(uri) ?? []
  return origin === undefined ? undefined : `${origin}${rest}`
}

export type OidcMethod = Extract<AuthMethodRecord, { readonly Type: 'oidc' }>

/** The values that bind a provider's answers to one login. */
export interface OidcChallenge {
  readonly redirectUri: string
  /** The nonce that the ID token must have. */
  readonly nonce: string
  /** The verifier; the authorization URL contains its S256 challenge (RFC 7636). */
  readonly pkceVerifier: string
}

export interface OidcCallback extends OidcChallenge {
  readonly code: string
  /** RFC 9207; optional, because a state belongs to one method. */
  readonly issuer: string | undefined
}

export interface OidcClient {
  /** Builds the provider's URL for the browser. */
  authorizationUrl(
    method: OidcMethod,
    request: OidcChallenge & { readonly state: string },
    now: number,
  ): Promise<string>

  /** Exchanges a code, with the secret of the method, for the user's claims. */
  exchange(method: OidcMethod, callback: OidcCallback, now: number): Promise<Verification>
}
