/** A scenario, resolved: every default filled in, every name checked, every time in whole milliseconds. */
import type { ServiceVersion } from '@latchkey/contract'
import type { Place } from '../errors.ts'
import type { WorkloadKind } from './schema-workloads.ts'

export type ModelName = 'service' | 'latchkey'
export type TokenType = 'client' | 'management'
/** The API through which a client writes tokens. */
export type TokenApi = 'legacy' | 'new'
export type TokenState = 'unmigrated' | 'migrated' | 'any'

export interface Scenario {
  readonly name: string
  readonly model: ModelName
  readonly seed: number
  /** End of the simulation; undefined: when nothing can change any more. */
  readonly durationMs: number | undefined
  readonly gossipDelayMs: number
  readonly gossipJitterMs: number
  readonly failureDetectionMs: number
  /** Undefined: the default of the model. */
  readonly electionMs: number | undefined
  readonly commitMs: number
  readonly bootstrapped: boolean | undefined
  readonly defaultPolicy: 'allow' | 'deny'
  readonly connect: boolean
  /** Name of the primary datacenter. */
  readonly primary: string
  /** The primary first. */
  readonly datacenters: readonly DatacenterSpec[]
  /** One-way delay between two datacenters, in both orders. Key: `a b`. */
  readonly linkDelayMs: ReadonlyMap<string, number>
  readonly tokens: readonly TokenGroup[]
  readonly intentions: readonly IntentionSpec[]
  readonly workloads: readonly WorkloadSpec[]
  /** In order of time; equal times in order of the file. */
  readonly events: readonly ScenarioEvent[]
}

export interface DatacenterSpec {
  readonly name: string
  readonly isPrimary: boolean
  readonly tokenReplication: boolean
  readonly replicationToken: 'write' | 'read' | 'none'
  /** Local tokens at the beginning. */
  readonly localTokens: number
  readonly servers: readonly ServerSpec[]
  readonly agents: readonly AgentSpec[]
}

export interface ServerSpec {
  readonly id: string
  readonly datacenter: string
  /** The version from `startMs` on. */
  readonly version: ServiceVersion
  /** The version before `startMs`. */
  readonly from: ServiceVersion
  readonly startMs: number
  readonly acls: boolean
  readonly isFirstLeader: boolean
  readonly status: 'alive' | 'failed' | 'left'
  /** Other servers do not know it before its `join` event. */
  readonly joinsLater: boolean
  readonly place: Place
}

export interface AgentSpec {
  readonly id: string
  readonly datacenter: string
  readonly version: ServiceVersion
  readonly startMs: number
}

/** Tokens of one kind. Numbering starts at 0 and continues from group to group. */
export interface TokenGroup {
  readonly type: TokenType
  readonly count: number
  /** Undefined: unknown, and assumed to grant a right. */
  readonly rules: string | undefined
  readonly unwritable: boolean
  /** Shown in findings. */
  readonly name?: string
  /** The ID of a single legacy token. It never appears in output. */
  readonly secret?: string
}

export interface IntentionSpec {
  readonly source: string
  readonly destination: string
  readonly namespace: string
  readonly sourceNamespace: string
  readonly hasMeta: boolean
}

export interface WorkloadSpec {
  readonly name: string
  readonly kind: WorkloadKind
  /** Ids of the servers to call, in turn. */
  readonly servers: readonly string[]
  /** Versions of the client agents to use, in turn; empty: calls go directly to the servers. */
  readonly agents: readonly ServiceVersion[]
  /** For `unknown-field`: the path, and a field that it does not accept; undefined: any. */
  readonly endpoint: string | undefined
  readonly field: string | undefined
  readonly ratePerSecond: number
  readonly fromMs: number
  /** Undefined: the end of the simulation. */
  readonly toMs: number | undefined
  readonly connections: number
}

interface At {
  readonly atMs: number
  readonly place: Place
}

export type ScenarioEvent = At &
  (
    | {
        readonly kind: 'crash' | 'leave' | 'force-leave' | 'join' | 'pause' | 'resume'
        readonly server: string
      }
    | { readonly kind: 'elect' | 'stale-gossip'; readonly server: string }
    | { readonly kind: 'snapshot'; readonly server: string | undefined }
    | {
        readonly kind: 'start' | 'restart'
        readonly server: string
        readonly version: ServiceVersion | undefined
        readonly acls: boolean | undefined
        readonly downtimeMs: number
      }
    | { readonly kind: 'partition' | 'heal'; readonly between: readonly [string, string] }
    | {
        readonly kind: 'create-tokens'
        readonly count: number
        readonly type: TokenType
        readonly rules: string | undefined
        readonly api: TokenApi
        readonly isLocal: boolean
        readonly datacenter: string
      }
    | {
        readonly kind: 'restore'
        readonly datacenter: string
        /** When the snapshot was taken. */
        readonly snapshotMs: number
        /** Undefined: the servers keep running. */
        readonly version: ServiceVersion | undefined
      }
    | {
        readonly kind: 'edit-tokens' | 'delete-tokens'
        readonly count: number
        readonly offset: number
        readonly state: TokenState
        readonly racing: boolean
        /** Undefined: of any type. */
        readonly type: TokenType | undefined
        /** The new type; undefined: unchanged. */
        readonly becomes: TokenType | undefined
        readonly api: TokenApi
        /** Whether an update through the token API has Rules in its body. */
        readonly sendsRules: boolean
      }
    | { readonly kind: 'convert-tokens'; readonly count: number | undefined }
    | { readonly kind: 'edit-intention'; readonly destination: string }
  )

export type ScenarioEventOf<K extends ScenarioEvent['kind']> = Extract<ScenarioEvent, { readonly kind: K }>

/** Total number of legacy tokens at the beginning. */
export function tokenCount(groups: readonly TokenGroup[]): number {
  return groups.reduce((sum, group) => sum + group.count, 0)
}

/** Key of {@link Scenario.linkDelayMs} and other maps by pair of datacenters. */
export function linkKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}
