/** What a scan found out about a cluster. */
import type { ServiceVersion } from '@latchkey/contract'

export interface Member {
  readonly name: string
  readonly datacenter: string
  readonly isServer: boolean
  readonly version: ServiceVersion | undefined
  /** What it tells the others; `unknown`: it has no such tag, as before 1.4.0. */
  readonly mode: 'off' | 'new' | 'legacy' | 'unknown'
  readonly status: 'alive' | 'failed' | 'left'
  /** As the leader is named: host and port of its servers' traffic. */
  readonly address: string
}

export interface Replication {
  readonly enabled: boolean
  readonly running: boolean
  readonly source: string
  readonly type: string
  readonly lastSuccess: string
  readonly lastError: string
}

export interface ScannedDatacenter {
  readonly name: string
  readonly members: readonly Member[]
  /** Name of the leader, or its address if it is no known member. */
  readonly leader: string | undefined
  readonly replication: Replication | undefined
}

/** Something that could not be read. */
export interface Unread {
  readonly what: string
  readonly path: string
  readonly why: string
}

export interface Scanned {
  readonly address: string
  /** Of the agent that answered. */
  readonly agentVersion: ServiceVersion | undefined
  readonly datacenter: string | undefined
  readonly primary: string | undefined
  readonly defaultPolicy: 'allow' | 'deny' | undefined
  readonly connect: boolean | undefined
  /** The primary first, if it is known. */
  readonly datacenters: readonly ScannedDatacenter[]
  readonly unread: readonly Unread[]
}
