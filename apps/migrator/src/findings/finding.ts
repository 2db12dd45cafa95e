/** Something that an operator should know before the day: what, how bad, how often, when, and how to avoid it. */
import type { ClientErrors } from '../clients/tally.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { History } from '../simulate/history.ts'

/** `critical`: do not go. `warning`: go with care. `info`: good to know. */
export type Severity = 'critical' | 'warning' | 'info'

export interface Finding {
  /** Stable name, such as `ghost-tokens`. */
  readonly id: string
  readonly severity: Severity
  /** How many tokens, servers, calls or whatever the detail speaks of. */
  readonly count: number
  readonly detail: string
  readonly avoid: string
  /** When it begins and ends, in milliseconds on the clock of the scenario, where it has a time. */
  readonly from?: number
  readonly to?: number
  /** Servers that it is about. */
  readonly servers?: readonly string[]
}

/** What findings are made of. */
export interface Evidence {
  readonly scenario: Scenario
  readonly history: History
  readonly clients: ReadonlyMap<string, ClientErrors>
}

export type Finder = (evidence: Evidence) => readonly Finding[]

export type Verdict = 'go' | 'go with care' | 'no-go'

/** No-go with anything critical, care with any warning, else go. */
export function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some((each) => each.severity === 'critical')) return 'no-go'
  return findings.some((each) => each.severity === 'warning') ? 'go with care' : 'go'
}

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 }

/** Worst first; equally bad ones in the order in which they begin, then as found. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => RANK[a.severity] - RANK[b.severity] || (a.from ?? 0) - (b.from ?? 0))
}

/** Writes `1 token`, `3 tokens`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}
