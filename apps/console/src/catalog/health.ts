/** The health of services and nodes, from the counts or states of their checks. */
import type { HealthCheck, ServiceSummary } from '@latchkey/sdk'

export const STATES = ['critical', 'warning', 'passing'] as const
export type State = (typeof STATES)[number]
export const STATE_NAMES = { critical: 'Critical', warning: 'Warning', passing: 'Passing' }

export type Counts = Readonly<Record<State, number>>

/** How many checks are in each state; unknown states are treated as critical. */
export function countChecks(checks: readonly Pick<HealthCheck, 'Status'>[]): Counts {
  const counts = { critical: 0, warning: 0, passing: 0 }
  for (const { Status } of checks) counts[STATES.find((each) => each === Status) ?? 'critical'] += 1
  return counts
}

export function countsOf(summary: ServiceSummary): Counts {
  const { ChecksCritical: critical, ChecksWarning: warning, ChecksPassing: passing } = summary
  return { critical, warning, passing }
}

/** The worst state of all; `undefined` without checks. */
export function worstOf(counts: Counts): State | undefined {
  return STATES.find((state) => counts[state] > 0)
}

/** The search of a catalog list, as represented in the URL. */
export interface ListSearch {
  readonly q?: string | undefined
  /** Only records whose worst check is in this state. */
  readonly state?: State | undefined
}

/** Reads the search of a URL, and drops what it does not recognise. */
export function readListSearch({ q, state }: Readonly<Record<string, unknown>>): ListSearch {
  const known = STATES.find((each) => each === state)
  return {
    ...(q === undefined || q === '' ? {} : { q: String(q) }),
    ...(known === undefined ? {} : { state: known }),
  }
}

/** Whether a record with these texts and checks matches the search. */
export function isSearched(
  { q, state }: ListSearch,
  { texts, counts }: { readonly texts: readonly string[]; readonly counts: Counts },
): boolean {
  if (state !== undefined && worstOf(counts) !== state) return false
  const searched = texts.join('\n').toLowerCase()
  return (q ?? '')
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}
