/** The results of scanning a cluster. */
import type { ServiceVersion } from '@latchkey/contract'

export interface Member {
  readonly name: string
  readonly datacenter: string
  readonly isServer: boolean
  readonly version: ServiceVersion | undefined
  /** The mode that it gossips; `unknown` without a tag, as before 1.4.0. */
  readonly mode: 'off' | 'new' | 'legacy' | 'unknown'
  readonly status: 'alive' | 'failed' | 'left'
  /** Host and port for traffic between servers, by which the leader is identified. */
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
  /** Name of the leader, or its address if it is not a known member. */
  readonly leader: string | undefined
  readonly replication: Replication | undefined
}

/** A part that could not be read. */
export interface Unread {
  readonly what: string
  readonly path: string
  readonly why: string
}

export interface Scanned {
  readonly address: string
  /** Version of the agent that answered. */
  readonly agentVersion: ServiceVersion | undefined
  readonly datacenter: string | undefined
  readonly primary: string | undefined
  readonly defaultPolicy: 'allow' | 'deny' | undefined
  readonly connect: boolean | undefined
  /** The primary first, if it is known. */
  readonly datacenters: readonly ScannedDatacenter[]
  readonly unread: readonly Unread[]
}
