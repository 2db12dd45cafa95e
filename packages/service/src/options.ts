/** Dependencies and configuration of the service. */
import type { AclModeRecord, Clock, Directory, DownPolicy, OidcClient, Random, Verifier } from '@latchkey/acl'
import type { CoordinateRecord } from '@latchkey/catalog'
import type {
  AclError,
  AgentHost,
  AgentMetrics,
  RestoredSnapshot,
  ServiceProfile,
  StatusCodes,
} from '@latchkey/contract'
import type { LocalChecks } from './agent-checks/local-checks.ts'
import type { Datacenters } from './datacenters/datacenters.ts'
import type { RateLimits } from './limits/token-buckets.ts'
import type { JsonDocument } from './reply/json-text.ts'
import type { Store } from './store/store.ts'
import type { TokenListCache } from './tokens/token-list-cache.ts'
import type { Turns } from './turns.ts'

export interface ClusterMember {
  readonly id: string
  readonly node: string
  readonly address: string
  readonly datacenter: string
  readonly version: string
  readonly mode: 'legacy' | 'enabled' | 'disabled' | 'unknown'
  readonly status: 'alive' | 'failed' | 'left'
  /** Instants by the clock of the store; absent in the mocks, like the index up to which it has read the changes. */
  readonly startedAt?: number | undefined
  readonly heartbeatAt?: number
  readonly seenIndex?: number | undefined
}

export type ApiDocument = JsonDocument<Readonly<Record<string, unknown>>>

/** What a process knows about itself and its cluster. The mocks are a cluster of one. */
export interface ClusterInfo {
  self(): ClusterMember
  members(): readonly ClusterMember[] | Promise<readonly ClusterMember[]>
  /** Address of the process that runs the single-winner jobs; empty if unknown. */
  leader(): string | Promise<string>
  /** Why the ACL system is still in legacy mode; empty if unknown. Spec 9.2. */
  legacyModeWaitsFor(): readonly string[]
  migrationError?(): string | undefined
  metrics():
    | { readonly samples: AgentMetrics; readonly prometheus: string }
    | Promise<{ readonly samples: AgentMetrics; readonly prometheus: string }>
  /** Consumes the bootstrap reset file, if there is one. Decisions: bootstrap. */
  takeBootstrapReset(expected: number): Promise<'none' | 'accepted' | { readonly wrong: number }>
  host(): AgentHost
  /** Ends this server once it has answered. */
  leave(): void
  /**
   * Removes the failed members of a node from the cluster.
   * @returns how many were removed; `alive` if a process of the node is still running.
   */
  forceLeave(node: string): Promise<number | 'alive'>
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
  /** Commit index of the primary up to which this datacenter has copied records. */
  readonly index: number
  readonly hasTokens: boolean
  readonly lastSuccess: string
  readonly lastError: string
  readonly lastErrorMessage: string
  /** ID of the primary's store that the records come from; empty if there are none. */
  readonly cluster: string
  readonly primaryIndex: number
  readonly lagIndex: number
  /** Age of the records in seconds; absent while no process replicates. */
  readonly lagSeconds: number | undefined
  readonly state: 'copying' | 'following' | 'waiting' | 'paused'
  /** Global tokens that this datacenter cannot store. */
  readonly skipped: readonly { readonly AccessorID: string; readonly Reason: string }[]
}

export interface Tarball {
  /** The index of the archive. */
  readonly index: number
  readonly pieces: AsyncIterable<Uint8Array>
}

/** Archives of a whole store. Decisions: backup. */
export interface Archives {
  /** Streams an archive of the store at one moment. Memory is bounded, and the consumer has at most a minute per piece. */
  read(): AsyncIterable<Uint8Array>
  /** Such an archive in the form in which other services of this API store their snapshots. @param signal of its reader. */
  readTarball(signal: AbortSignal | undefined): Promise<Tarball>
  /**
   * Replaces the whole store with an archive, or changes nothing. Afterwards, reads of this process show the restored
   * records.
   * @param options `isUnauthenticated`: whether an archive without an HMAC is restored, too.
   * @throws AclError `snapshot_invalid`, `snapshot_refused`, `unavailable`.
   */
  restore(
    archive: AsyncIterable<Uint8Array>,
    options: { readonly isUnauthenticated: boolean },
  ): Promise<RestoredSnapshot>
}

export interface IdentityOptions {
  readonly verifier: Verifier
  /** The client for OpenID providers. Without it, nobody can log in through a browser. */
  readonly oidc?: OidcClient
  /** Whether provider URLs may use plain HTTP and point to this machine, for development. */
  readonly allowHttp: boolean
  /** Maximum number of logins per client and second; 0 for no limit. */
  readonly loginsPerSecond: number
  /** Counts logins. Default: this service counts them, by its own clock. */
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
  /** Where policies, roles and global tokens are written. Absent: in this datacenter. */
  readonly primaryDatacenter?: string
  /** Set if tokens are not replicated: the service requests them from the primary. */
  readonly tokensOfPrimary?: { readonly downPolicy: DownPolicy }
  readonly datacenters?: Datacenters
  readonly nodeName: string
  readonly headerPrefixes: readonly string[]
  /** Name of the service of the servers. Default: by the first header prefix. */
  readonly ownService?: string | undefined
  /** Whose statuses refusals have. Default `family`. Decisions: dialects. */
  readonly statusCodes?: StatusCodes
  readonly defaultPolicy: 'allow' | 'deny'
  readonly aclEnabled: boolean
  /** Whether replies say that addresses are translated. Default: false. Spec 9.3 (0.7). */
  readonly translateAddresses?: boolean
  /** Resolves when clients have read enough of their replies for the next long one. Default: immediately. */
  readonly roomForText?: () => Promise<void>
  /** Batches coordinate updates. Absent: each is written immediately. */
  readonly coordinateUpdates?: CoordinateCollector
  /** The state of the checks on the node of this process. */
  readonly localChecks: LocalChecks
  /** Schedules sliced work. Default: turns of the platform's event loop. */
  readonly turns?: Turns
  readonly archives?: Archives
  /** Absent: every token list is built on request. */
  readonly lists?: TokenListCache
  /** The document of `/v1/openapi.json`. Called on every request for it, so the result should be cached. */
  readonly openapi: () => ApiDocument | Promise<ApiDocument>
  /** Called with an internal error; the caller sees only the request id. */
  readonly onInternalError: (error: unknown, requestId: string) => void
  /** Called with each refusal for an outage, because the caller does not see its cause. Default: nothing. */
  readonly onUnavailable?: (error: AclError, requestId: string) => void
}

export type Place = Pick<ServiceOptions, 'datacenter' | 'primaryDatacenter'>

/**
 * Whether policies, roles and global tokens are copies, which only replication writes. This changes at runtime if an operator
 * promotes a secondary. Decisions: promotion.
 */
export function isSecondary({
  datacenter,
  primaryDatacenter = datacenter,
  store,
}: Place & { readonly store: Pick<Store, 'directory'> }): boolean {
  if (primaryDatacenter === datacenter) return false
  const cluster = store.directory().system('cluster')?.Value
  return cluster?.promoted === undefined
}

/** Whether this is a secondary that does not replicate tokens. Decisions: tokens of the primary. */
export function isWithoutTokens(service: ServiceOptions): boolean {
  return service.tokensOfPrimary !== undefined && isSecondary(service)
}

export type CoordinateReport = Pick<CoordinateRecord, 'Node' | 'Segment' | 'Coord'>

export interface CoordinateCollector {
  add(report: CoordinateReport): void
}

/** A store without the record was written by a version that had no legacy mode. */
export function aclModeOf(directory: Directory): AclModeRecord['mode'] {
  return directory.system('acl-mode')?.Value.mode ?? 'enabled'
}
