/**
 * The version gates: what each version of the service added, changed or removed. Spec 7, 8, 9. The table is
 * docs/version-gates.md; the profile (profile.ts), the list of changes and the migrator derive from it.
 */
import { TABLE } from './generated/gates.ts'

/** Open from `since` (inclusive; absent: from the start) to `until` (exclusive; absent: never closed). */
export interface VersionGate {
  readonly kind: 'field' | 'endpoint' | 'behaviour' | 'limit'
  /** First version in which the gate is open. */
  readonly since?: string
  /** First version in which the gate is closed again. */
  readonly until?: string
  /** Section of the spec, and the row of its table if it has one. */
  readonly specRow: string
  /** The behaviour before and after, in one sentence. */
  readonly sentence: string
  /** What a client sees on the wire. */
  readonly clientSees: string
  /** Whether opening or closing the gate can break a correct client. */
  readonly breaksClients: boolean
  /** Whose version decides in a mixed cluster: the agent that receives the request, the server behind it, or both. */
  readonly decidedBy: 'agent' | 'server' | 'both'
}

export type GateName = keyof typeof TABLE

/** Every gate, by name, in the order of the spec. */
export const GATES: Readonly<Record<GateName, VersionGate>> = TABLE

export const GATE_NAMES = Object.keys(TABLE) as readonly GateName[]
