/** A fact that an operator should know before the upgrade: severity, count, time, and how to avoid it. */
import type { ClientErrors } from '../clients/clients.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { History } from '../simulate/run.ts'

/** `critical`: do not upgrade. `warning`: upgrade with care. `info`: good to know. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Finding {
  readonly id: string
  readonly severity: Severity
  readonly count: number
  readonly detail: string
  readonly avoid: string
  /** When it starts and ends, if known: milliseconds on the clock of the scenario. */
  readonly from?: number
  readonly to?: number
  readonly servers?: readonly string[]
  readonly tokens?: readonly TokenPlace[]
}

/** One finding about records, which begins with the first and counts them; none without records. */
export function about<R extends { readonly at: number }>(
  records: readonly R[],
  make: (first: R) => Omit<Finding, 'count' | 'from'> & Partial<Finding>,
): Finding[] {
  const [first] = records
  return first === undefined ? [] : [{ count: records.length, from: first.at, ...make(first) }]
}

/** Identifies a token of a dump, without its secret. */
export interface TokenPlace {
  readonly name: string
  /** The first twelve hexadecimal digits of the SHA-256 of its ID; empty if it has none. */
  readonly idHash: string
  /** From 0. */
  readonly position: number
  readonly line: number
  readonly byte: number
  readonly detail: string
}

export interface Evidence {
  readonly scenario: Scenario
  readonly history: History
  readonly clients: ReadonlyMap<string, ClientErrors>
}

export type Found = Finding | readonly Finding[]
export type Finder = (evidence: Evidence) => Found

export type Verdict = 'go' | 'go with care' | 'no-go'

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity)
}

export function reaches({ severity }: Pick<Finding, 'severity'>, limit: Severity): boolean {
  return rank(severity) <= rank(limit)
}

export function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some((each) => reaches(each, 'critical'))) return 'no-go'
  return findings.some((each) => reaches(each, 'warning')) ? 'go with care' : 'go'
}

export function reasonsOf(findings: readonly Finding[]): string[] {
  const deciding = verdictOf(findings) === 'no-go' ? 'critical' : 'warning'
  return findings.filter((each) => reaches(each, deciding)).map(({ detail }) => detail)
}

export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => rank(a.severity) - rank(b.severity) || (a.from ?? 0) - (b.from ?? 0))
}

export function serversIn(records: readonly { readonly server: string }[]): string[] {
  return [...new Set(records.map(({ server }) => server))]
}

/** Formats a count: `1 token`, `3 tokens`, `2 batches`. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith('ch') ? 'es' : 's'
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : plural}`
}

/** The form of a verb for a count: `1 token remains`, `3 tokens remain`. */
export function agrees(count: number, one: string, many: string): string {
  return count === 1 ? one : many
}
