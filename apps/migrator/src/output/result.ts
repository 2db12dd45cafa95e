/** The result of `simulate`, as printed by `--json`: everything that reports show. Times are seconds. */
import type { Finding, Verdict } from '../findings/finding.ts'
import type { ModelName } from '../scenario/scenario.ts'
import type { TimelineEntry } from './timeline.ts'

export interface ServerResult {
  readonly datacenter: string
  /** Version at the end; null if the server is not running. */
  readonly version: string | null
  /** Mode at the end: `old`, `off`, `legacy` or `new`; null if the server is not running. */
  readonly mode: string | null
  /** When its last process left legacy mode; null if never. */
  readonly newModeAt: number | null
  /** Every period in legacy mode. A null end means that the period never ends. */
  readonly legacyMode: readonly { readonly from: number; readonly to: number | null }[]
}

export interface MigrationResult {
  /** Tokens that got an accessor in a batch of this datacenter. Secondaries get accessors by replication. */
  readonly tokens: number
  readonly batches: number
  readonly firstBatchAt: number | null
  readonly lastBatchAt: number | null
  readonly sizes: readonly number[]
  /** Tokens that have no accessor at the end. */
  readonly remaining: number
  /** Tokens that a batch left to a later batch because they had changed. */
  readonly conflicts: number
  /** Local tokens at the end. They are created with an accessor, and are not replicated. */
  readonly localTokens: number
}

export interface ReplicationResult {
  readonly rounds: number
  /** Tokens with an accessor in this datacenter. */
  readonly tokens: number
  readonly completeAt: number | null
  readonly ghosts: number
  /** The replication status at the end, as the datacenter itself reports it. */
  readonly running: boolean
  readonly type: 'legacy' | 'policies' | 'tokens'
  /** The last round that succeeded or failed; null without such a round. */
  readonly lastSuccessAt: number | null
  readonly lastErrorAt: number | null
  readonly lastError: string | null
}

export interface FindingResult extends Omit<Finding, 'from' | 'to'> {
  readonly from?: number
  readonly to?: number
}

export interface ClientResult {
  readonly first: number
  readonly last: number
  readonly count: number
  /** False for an unexpected answer that is not an error. */
  readonly isError: boolean
  readonly status: number | null
  readonly text: string
  readonly workloads: Readonly<Record<string, number>>
}

export interface SimulationResult {
  readonly scenario: string
  readonly seed: number
  readonly model: ModelName
  readonly verdict: Verdict
  /** One sentence for each finding that decided the verdict. */
  readonly reasons: readonly string[]
  /** The time of the last event, or the `duration` of the scenario. */
  readonly endedAt: number
  /** Whether nothing could change any more at that time. */
  readonly settled: boolean
  readonly servers: Readonly<Record<string, ServerResult>>
  readonly agents: Readonly<Record<string, { datacenter: string; newModeAt: number | null }>>
  readonly migration: Readonly<Record<string, MigrationResult>>
  /** Secondaries only. */
  readonly replication: Readonly<Record<string, ReplicationResult>>
  readonly timeline: readonly TimelineEntry[]
  readonly clients: Readonly<Record<string, ClientResult>>
  readonly findings: readonly FindingResult[]
  /** Rules of the upgrade that the history violates, according to the checkers: bugs in the model. */
  readonly violations: readonly { readonly rule: string; readonly at: number; readonly detail: string }[]
  /** The command that reproduces these bytes. */
  readonly replay: string
}
