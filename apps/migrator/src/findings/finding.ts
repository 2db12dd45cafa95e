/** Something an operator should know before the upgrade: what, how severe, how often, when, and how to avoid it. */
import type { ClientErrors } from '../clients/tally.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { History } from '../simulate/history.ts'

/** `critical`: do not upgrade. `warning`: upgrade with care. `info`: good to know. */
export type Severity = 'critical' | 'warning' | 'info'

export interface Finding {
  /** Stable name, such as `ghost-tokens`. */
  readonly id: string
  readonly severity: Severity
  /** Number of tokens, servers or calls that the detail is about. */
  readonly count: number
  readonly detail: string
  readonly avoid: string
  /** When it begins and ends, if at a time: milliseconds on the clock of the scenario. */
  readonly from?: number
  readonly to?: number
  /** Servers that it is about. */
  readonly servers?: readonly string[]
}

/** The input of findings. */
export interface Evidence {
  readonly scenario: Scenario
  readonly history: History
  readonly clients: ReadonlyMap<string, ClientErrors>
}

export type Finder = (evidence: Evidence) => readonly Finding[]

export type Verdict = 'go' | 'go with care' | 'no-go'

/** No-go if any finding is critical, care if any is a warning, else go. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some((each) => each.severity === 'critical')) return 'no-go'
  return findings.some((each) => each.severity === 'warning') ? 'go with care' : 'go'
}

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

/** By severity, worst first, then by start time; otherwise stable. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => RANK[a.severity] - RANK[b.severity] || (a.from ?? 0) - (b.from ?? 0))
}

/** Formats a count: `1 token`, `3 tokens`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}
