/** A client call, and the facts that determine its outcome. */
import type { ServiceVersion } from '@latchkey/contract'
import type { ModelName, WorkloadSpec } from '../scenario/scenario.ts'
import type { WorkloadKind } from '../scenario/schema-parts.ts'
import type { Mode } from '../simulate/history.ts'

/** An error, or an answer that differs from the one before the upgrade. */
export interface Outcome {
  readonly kind: string
  readonly status: number | undefined
  readonly text: string
  readonly isError: boolean
}

export interface CallContext {
  readonly model: ModelName
  readonly server: {
    readonly version: ServiceVersion
    readonly mode: Mode
    readonly state: 'up' | 'down' | 'paused'
    readonly isLeader: boolean
  }
  readonly agent: ServiceVersion | undefined
  /** The endpoint and field of an `unknown-field` call; undefined: any. */
  readonly payload: { readonly path: string | undefined; readonly field: string | undefined }
  readonly hasLeader: boolean
  readonly primaryLeader: ServiceVersion | undefined
  readonly intentionsAreMigrated: boolean
  readonly isEdited: boolean
  readonly isPrimaryReached: boolean
  readonly isPrimary: boolean
  /** Where the datacenter finds global tokens; `nothing`: its replication token may not read secrets. */
  readonly tokenSource: 'own' | 'copies' | 'primary' | 'nothing'
  readonly bootstrapped: boolean | undefined
  /** Whether the leader of the primary read its state from a snapshot of a version before 1.4.0. */
  readonly isBootstrapRecorded: boolean
}

export type CallKind = Exclude<WorkloadKind, 'mixed'>

export function callsOf(kind: WorkloadKind): readonly CallKind[] {
  return kind === 'mixed' ? ['new', 'legacy'] : [kind]
}

export interface Calls {
  readonly first: number
  readonly last: number
  readonly count: number
}

export function callsIn(
  { fromMs, ratePerSecond }: WorkloadSpec,
  { offset, period }: { readonly offset: number; readonly period: number },
  { from, to }: { readonly from: number; readonly to: number },
): Calls {
  const gap = 1_000 / ratePerSecond
  // With half a microsecond of slack, a call at the boundary of two periods is in exactly one of them.
  const numberAt = (time: number) => Math.ceil(((time - fromMs) / gap - offset) / period - 5e-7)
  const begin = Math.max(0, numberAt(from))
  const end = Math.max(begin, numberAt(to))
  const timeOf = (n: number) => Math.round(fromMs + (n * period + offset) * gap)
  return { first: timeOf(begin), last: timeOf(end - 1), count: end - begin }
}
