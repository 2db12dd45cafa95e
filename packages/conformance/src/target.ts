/** The target of the suite: an address, how to call it, and the traits of its service. */

/** Traits of a service; a case says which it needs. */
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

/** A clock that the suite moves. Time is frozen between moves. */
export interface TargetClock {
  /** Milliseconds since the epoch. */
  now(): number
  advance(ms: number): void
}

/** An OpenID provider that the target reaches, and pages of which the suite can fill in. */
export interface OpenIdProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The one to which it sends browsers back. */
  readonly redirectUri: string
  /**
   * Signs a person in, whose claim `team` is the login followed by `-team`.
   *
   * @returns the parameters with which the browser comes back.
   */
  signIn(authUrl: string, login: string): URLSearchParams | Promise<URLSearchParams>
}

export interface Target {
  /** For reports. */
  readonly name: string
  /** Without `/v1` and without a slash at its end. */
  readonly url: string
  /** Family of header names, such as `X-Service-`. */
  readonly prefix: string
  /** Secret of a management token; empty if there is none. */
  readonly token: string
  readonly traits: Traits
  /** If the target's time can be moved, only cases that need this run, one after the other. */
  readonly clock?: TargetClock
  /** Whether credentials of logins are read and not verified, as by the mocks. */
  readonly decodesOnly?: boolean
  /** For logins through a browser. */
  readonly provider?: OpenIdProvider
  /** Whether cases may take minutes of real time. */
  readonly isPatient?: boolean
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}
