/** What the API needs to know of where it runs. */

import type { Clock, Random, Turns } from '@latchkey/acl'
import type { AgentMetrics, ServiceProfile } from '@latchkey/contract'
import type { Store } from './store/store.ts'
import type { TokenListCache } from './tokens/token-list-cache.ts'

/** A server process of the cluster, as status endpoints show it. */
export interface ClusterMember {
  readonly id: string
  readonly node: string
  readonly address: string
  readonly datacenter: string
  readonly version: string
  readonly mode: 'legacy' | 'enabled' | 'disabled' | 'unknown'
  readonly status: 'alive' | 'failed' | 'left'
}

/** What a process knows of itself and its cluster. The mocks are a cluster of one. */
export interface ClusterInfo {
  self(): ClusterMember
  members(): readonly ClusterMember[] | Promise<readonly ClusterMember[]>
  /** Address of the process that runs the single-winner jobs; empty where none is known. */
  leader(): string | Promise<string>
  /** All datacenters that are known, the own one first. */
  datacenters(): readonly string[]
  /** What keeps the ACL system in legacy mode, in words; empty where nothing is known. Spec 9.2. */
  legacyModeWaitsFor(): readonly string[]
  /** What last went wrong in the accessor migration that this process runs; absent: nothing is known. */
  migrationError?(): string | undefined
  /** Samples by name, and their Prometheus text. */
  metrics():
    | { readonly samples: AgentMetrics; readonly prometheus: string }
    | Promise<{ readonly samples: AgentMetrics; readonly prometheus: string }>
  /** The reset index of a bootstrap reset file, once; `undefined` where there is none. Reference 5.6. */
  takeBootstrapReset(expected: number): Promise<'none' | 'accepted' | { readonly wrong: number }>
  /** The configuration without secrets, for DebugConfig. */
  debugConfig(): Record<string, unknown>
  /** State of replication from the primary; `undefined` in the primary itself. */
  replication(): ReplicationState | undefined
}

interface ReplicationState {
  readonly enabled: boolean
  readonly running: boolean
  readonly sourceDatacenter: string
  readonly type: string
  readonly index: number
  readonly lastSuccess: string
  readonly lastError: string
  readonly lastErrorMessage: string
}

export interface ServiceOptions {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly cluster: ClusterInfo
  readonly profile: ServiceProfile
  readonly edition: 'standard' | 'extended'
  readonly datacenter: string
  readonly nodeName: string
  readonly headerPrefixes: readonly string[]
  readonly defaultPolicy: 'allow' | 'deny'
  readonly aclEnabled: boolean
  /** Whether answers say that addresses are translated. Absent: they do not. Spec 9.3 (0.7). */
  readonly translateAddresses?: boolean
  /** For work in slices. Default: turns of the platform's event loop. */
  readonly turns?: Turns
  /** Absent: each list of tokens is made when it is asked for. */
  readonly lists?: TokenListCache
  /** The document of `/v1/openapi.json`. A function of the edge, as it is made from schemas that the rules do without. */
  readonly openapi: () => object
  /** Called with what went wrong inside a request; the caller sees its id alone. */
  readonly onInternalError: (error: unknown, requestId: string) => void
}
