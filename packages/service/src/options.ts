/** Dependencies and configuration of the service. */

import type { Clock, DownPolicy, OidcClient, Random, Turns, Verifier } from '@latchkey/acl'
import type { AclError, AgentHost, AgentMetrics, RestoredSnapshot, ServiceProfile } from '@latchkey/contract'
import type { LocalChecks } from './agent-checks/local-checks.ts'
import type { CoordinateCollector } from './coordinates/report.ts'
import type { Datacenters } from './datacenters/datacenters.ts'
import type { JsonDocument } from './reply/json-text.ts'
import type { Store } from './store/store.ts'
import type { RateLimits } from './token-buckets.ts'
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

/** The OpenAPI document. */
export type ApiDocument = JsonDocument<Readonly<Record<string, unknown>>>

/** What a process knows about itself and its cluster. The mocks are a cluster of one. */
export interface ClusterInfo {
  self(): ClusterMember
  members(): readonly ClusterMember[] | Promise<readonly ClusterMember[]>
  /** Address of the process that runs the single-winner jobs; empty if unknown. */
  leader(): string | Promise<string>
  /** Why the ACL system is still in legacy mode; empty if unknown. Spec 9.2. */
  legacyModeWaitsFor(): readonly string[]
  /** The last error of the accessor migration in this process. */
  migrationError?(): string | undefined
  /** Samples by name, and their Prometheus text. */
  metrics():
    | { readonly samples: AgentMetrics; readonly prometheus: string }
    | Promise<{ readonly samples: AgentMetrics; readonly prometheus: string }>
  /** Consumes the bootstrap reset file, if there is one. Decisions: bootstrap. */
  takeBootstrapReset(expected: number): Promise<'none' | 'accepted' | { readonly wrong: number }>
  /** Facts about the machine. */
  host(): AgentHost
  /** Ends this server once it has answered. */
  leave(): void
  /**
   * Lets failed members leave: those of a node.
   *
   * @returns how many left; `alive` if a process of the node lives.
   */
  forceLeave(node: string): Promise<number | 'alive'>
  /** The configuration without secrets, for DebugConfig. */
  debugConfig(): Record<string, unknown>
  /** State of replication from the primary; `undefined` in the primary itself. */
  replication(): ReplicationState | undefined | Promise<ReplicationState | undefined>
}

/** As `GET /v1/acl/replication` shows it. Instants are RFC 3339, or the zero time. */
export interface ReplicationState {
  readonly enabled: boolean
  readonly running: boolean
  readonly sourceDatacenter: string
  readonly type: 'legacy' | 'policies' | 'tokens'
  /** Commit index of the primary whose records this datacenter has. */
  readonly index: number
  /** Whether tokens are replicated. */
  readonly hasTokens: boolean
  readonly lastSuccess: string
  readonly lastError: string
  readonly lastErrorMessage: string
  /** Id of the primary's store that the records come from; empty if there are none. */
  readonly cluster: string
  readonly primaryIndex: number
  readonly lagIndex: number
  /** How old the records may be; absent while no process replicates. */
  readonly lagSeconds: number | undefined
  readonly state: 'copying' | 'following' | 'waiting' | 'paused'
  /** Global tokens that cannot be stored here. */
  readonly skipped: readonly { readonly AccessorID: string; readonly Reason: string }[]
}

/** Archives of a whole store. Decisions: backup. */
export interface Archives {
  /** The pieces of an archive of one moment. Memory is bounded, and so is the time between two pieces: a minute. */
  read(): AsyncIterable<Uint8Array>
  /**
   * Replaces the whole store by an archive, or changes nothing. Reads of this process show what was restored.
   *
   * @throws AclError `snapshot_invalid`, `snapshot_refused`, `unavailable`.
   */
  restore(archive: AsyncIterable<Uint8Array>): Promise<RestoredSnapshot>
}

/** How logins are verified. */
export interface IdentityOptions {
  readonly verifier: Verifier
  /** The client of OpenID providers. Without it, no one can log in through a browser. */
  readonly oidc?: OidcClient
  /** Whether URLs of providers may use plain HTTP and point to this machine, for development. */
  readonly allowHttp: boolean
  /** Maximum number of logins of one client per second; 0 for no limit. */
  readonly loginsPerSecond: number
  /** What counts logins. Default: this service does, by its own clock. */
  readonly limits?: RateLimits | undefined
}

export interface ServiceOptions {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly cluster: ClusterInfo
  readonly profile: ServiceProfile
  readonly identity: IdentityOptions
  readonly edition: 'standard' | 'extended'
  readonly datacenter: string
  /** Where policies, roles and global tokens are written. Absent: here. */
  readonly primaryDatacenter?: string
  /** Set where tokens are not replicated: the primary is asked for them. */
  readonly tokensOfPrimary?: { readonly downPolicy: DownPolicy }
  /** The others. Absent: none can be reached. */
  readonly datacenters?: Datacenters
  readonly nodeName: string
  readonly headerPrefixes: readonly string[]
  readonly defaultPolicy: 'allow' | 'deny'
  readonly aclEnabled: boolean
  /** Whether answers say that addresses are translated. Default: false. Spec 9.3 (0.7). */
  readonly translateAddresses?: boolean
  /** Resolves once clients have read enough of their answers for another long one. Default: at once. */
  readonly roomForText?: () => Promise<void>
  /** Collects coordinates. Absent: each is written at once. */
  readonly coordinateUpdates?: CoordinateCollector
  /** What the process knows of the checks of its node. */
  readonly localChecks: LocalChecks
  /** Schedules sliced work. Default: turns of the platform's event loop. */
  readonly turns?: Turns
  /** Absent: the store cannot be archived. */
  readonly archives?: Archives
  /** Absent: every list of tokens is built on request. */
  readonly lists?: TokenListCache
  /** The document of `/v1/openapi.json`: called on every request for it, so it should be kept. */
  readonly openapi: () => ApiDocument | Promise<ApiDocument>
  /** Called with an internal error; the caller sees only the request id. */
  readonly onInternalError: (error: unknown, requestId: string) => void
  /** Called with each refusal `unavailable`, whose cause the caller does not see. Default: nothing. */
  readonly onUnavailable?: (error: AclError, requestId: string) => void
}

/** Which datacenter this is, and where its global records are written. */
export type Place = Pick<ServiceOptions, 'datacenter' | 'primaryDatacenter'>

/**
 * Whether policies, roles and global tokens are copies, which only replication writes. Changes while the process runs: an
 * operator may promote a secondary. Decisions: promotion.
 */
export function isSecondary({
  datacenter,
  primaryDatacenter = datacenter,
  store,
}: Place & {
  readonly store: Pick<Store, 'directory'>
}): boolean {
  if (primaryDatacenter === datacenter) return false
  const cluster = store.directory().system('cluster')?.Value
  return cluster?.promoted === undefined
}
