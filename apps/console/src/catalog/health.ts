/** The health of services and nodes, from the counts or states of their checks. */
import type { HealthCheck, ServiceSummary } from '@latchkey/sdk'
import { type ListSearch, readListSearch } from '../ui/table/list-search.ts'

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

export interface CatalogSearch extends ListSearch {
  /** Only records whose worst check is in this state. */
  readonly state?: State
}

export function readCatalogSearch(search: Readonly<Record<string, unknown>>): CatalogSearch {
  const state = STATES.find((each) => each === search.state)
  return { ...readListSearch(search), ...(state === undefined ? {} : { state }) }
}
