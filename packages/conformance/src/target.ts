/** The target of the suite: an address, how to call it, and the traits of its service. */

/** Traits of a service; a case says which ones it needs. */
export interface Traits {
  /** Such as `1.11`. */
  readonly version: string
  readonly edition: 'standard' | 'extended'
  readonly mode: 'enabled' | 'legacy'
  /** Whether the ACL system is enabled. */
  readonly acl: 'on' | 'off'
  readonly defaultPolicy: 'deny' | 'allow'
  /** `open`: bootstrap has not been used yet. */
  readonly bootstrap: 'open' | 'done'
  /** `secondary`: policies, roles and global tokens are written in another datacenter. */
  readonly datacenter: 'primary' | 'secondary'
}

export const PLAIN_TRAITS: Traits = {
  version: '1.11',
  edition: 'standard',
  mode: 'enabled',
  acl: 'on',
  defaultPolicy: 'deny',
  bootstrap: 'done',
  datacenter: 'primary',
}

/** A clock that the suite advances. Time is frozen otherwise. */
export interface TargetClock {
  /** Milliseconds since the epoch. */
  now(): number
  advance(ms: number): void
}

/** An OpenID provider that the target can reach and whose sign-in pages the suite can fill in. */
export interface OpenIdProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The redirect URI to which it sends browsers back. */
  readonly redirectUri: string
  /**
   * Signs a person in. Their claim `team` is the login name followed by `-team`.
   *
   * @returns the parameters of the redirect back.
   */
  signIn(authUrl: string, login: string): URLSearchParams | Promise<URLSearchParams>
}

export interface Target {
  /** Shown in reports. */
  readonly name: string
  /** Without `/v1` and without a trailing slash. */
  readonly url: string
  /** Family of header names, such as `X-Service-`. */
  readonly prefix: string
  /** Secret of a management token; empty if there is none. */
  readonly token: string
  readonly traits: Traits
  /** If the target's time can be moved, only the cases that need this run, one at a time. */
  readonly clock?: TargetClock
  /** Whether login credentials are read but not verified, as in the mocks. */
  readonly decodesOnly?: boolean
  /** For browser logins. */
  readonly provider?: OpenIdProvider
  /** Whether cases may take minutes of real time. */
  readonly isPatient?: boolean
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}
