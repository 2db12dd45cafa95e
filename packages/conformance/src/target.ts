/** What the suite is run against: an address, how to talk to it, and what kind of service answers there. */

/** What a service is; a case says which kind it needs. */
export interface Traits {
  /** As `1.11`. */
  readonly version: string
  readonly edition: 'standard' | 'extended'
  readonly mode: 'enabled' | 'legacy'
  /** Whether the ACL system is switched on. */
  readonly acl: 'on' | 'off'
  readonly defaultPolicy: 'deny' | 'allow'
  /** `open`: bootstrap has not been used yet. */
  readonly bootstrap: 'open' | 'done'
}

export const PLAIN_TRAITS: Traits = {
  version: '1.11',
  edition: 'standard',
  mode: 'enabled',
  acl: 'on',
  defaultPolicy: 'deny',
  bootstrap: 'done',
}

/** A clock that the suite moves. Time is frozen between moves. */
export interface TargetClock {
  /** Milliseconds since the epoch. */
  now(): number
  advance(ms: number): void
}

export interface Target {
  /** For reports. */
  readonly name: string
  /** Without `/v1` and without a slash at its end. */
  readonly url: string
  /** Family of header names, such as `X-Service-`. */
  readonly prefix: string
  /** Secret of a management token; empty where there is none. */
  readonly token: string
  readonly traits: Traits
  /** Where the target's time can be moved, cases run one after the other, and only those that need it. */
  readonly clock?: TargetClock
  /** Whether cases may take minutes of real time. */
  readonly isPatient?: boolean
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}
