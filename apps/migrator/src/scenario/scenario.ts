/** A scenario, resolved: every default filled in, every name checked, every time in whole milliseconds. */
import type { ServiceVersion } from '@latchkey/contract'
import type * as z from 'zod'
import type { Place } from '../errors.ts'
import type { intentionSchema, ScenarioFile, tokenGroupSchema } from './schema.ts'

export type ModelName = ScenarioFile['model']
export type TokenType = TokenGroup['type']
export type TokenApi = ScenarioEventOf<'edit-tokens'>['api']

type FromFile = 'name' | 'model' | 'seed' | 'bootstrapped' | 'defaultPolicy' | 'connect'
export interface Scenario extends Readonly<Pick<ScenarioFile, FromFile>> {
  /** End of the simulation; undefined: when nothing can change any more. */
  readonly durationMs: number | undefined
  readonly gossipDelayMs: number
  readonly gossipJitterMs: number
  readonly failureDetectionMs: number
  /** Undefined: the default of the model. */
  readonly electionMs: number | undefined
  readonly commitMs: number
  readonly primary: string
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
  readonly localTokens: number
  readonly servers: readonly ServerSpec[]
  readonly agents: readonly AgentSpec[]
}

export interface AgentSpec {
  readonly id: string
  readonly datacenter: string
  readonly version: ServiceVersion
  readonly startMs: number
}

export interface ServerSpec extends AgentSpec {
  readonly from: ServiceVersion
  readonly acls: boolean
  readonly isFirstLeader: boolean
  readonly status: 'alive' | 'failed' | 'left'
  /** Other servers do not know it before its `join` event. */
  readonly joinsLater: boolean
  readonly place: Place
}

/** Tokens of one kind, numbered from group to group. Rules that are undefined are assumed to grant a right. */
export type TokenGroup = Readonly<z.output<typeof tokenGroupSchema>> & {
  /** The ID of a single legacy token. It never appears in output. */
  readonly secret?: string
}

export type IntentionSpec = Readonly<z.output<typeof intentionSchema>>

type WorkloadFile = ScenarioFile['workloads'][number]
export interface WorkloadSpec
  extends Readonly<Pick<WorkloadFile, 'kind' | 'endpoint' | 'field' | 'connections'>> {
  readonly name: string
  readonly servers: readonly string[]
  /** Versions of the client agents to use, in turn; empty: calls go directly to the servers. */
  readonly agents: readonly ServiceVersion[]
  readonly ratePerSecond: number
  readonly fromMs: number
  readonly toMs: number | undefined
}

export type EventFile = ScenarioFile['events'][number]
type Kind = EventFile['kind']
/** What resolving adds to the fields of the file, or replaces. */
interface Resolved {
  start: { readonly downtimeMs: number }
  restart: { readonly downtimeMs: number }
  partition: { readonly between: readonly [string, string] }
  heal: { readonly between: readonly [string, string] }
  'create-tokens': { readonly datacenter: string }
  /** Undefined: all. */
  'convert-tokens': { readonly count: number | undefined }
  /** `snapshot`: when the snapshot was taken. Without a `version` the servers keep running. */
  restore: { readonly datacenter: string; readonly snapshot: number }
}
type Replaced = 'at' | 'for' | 'every' | 'times' | 'downtime' | 'between' | 'datacenter' | 'snapshot'

/** An event at one time: repetitions, durations and links of several datacenters are events of their own. */
export type ScenarioEvent = {
  [K in Kind]: Readonly<Omit<Extract<EventFile, { kind: K }>, Replaced>> & {
    readonly atMs: number
    readonly place: Place
  } & (K extends keyof Resolved ? Resolved[K] : unknown)
}[Kind]

export type ScenarioEventOf<K extends Kind> = Extract<ScenarioEvent, { readonly kind: K }>

export function tokenCount(groups: readonly TokenGroup[]): number {
  return groups.reduce((sum, group) => sum + group.count, 0)
}

export function linkKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}
