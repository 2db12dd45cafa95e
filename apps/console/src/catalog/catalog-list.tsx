import type { UseQueryResult } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Empty, Problem, Skeleton } from '../ui/feedback.tsx'
import { Page } from '../ui/page.tsx'
import { ChoiceFilter } from '../ui/table/choice-filter.tsx'
import { SearchBox } from '../ui/table/record-list.tsx'
import '../ui/styles/catalog.css'
import { type ListSearch, STATE_NAMES, STATES, type State } from './health.ts'

interface CatalogListProps<T> {
  readonly title: string
  readonly lead: string
  readonly icon: LucideIcon
  readonly emptyTitle: string
  readonly empty: string
  readonly query: UseQueryResult<T[]>
  readonly search: ListSearch
  readonly onSearch: (search: ListSearch) => void
  /** The records that match the search. */
  readonly shown: readonly T[]
  /** The table of those records. */
  readonly children: ReactNode
}

/** A list of the catalog: search, a filter by health, and the table. */
export function CatalogList<T>(props: CatalogListProps<T>) {
  const { title, lead, icon, emptyTitle, empty, query, search, onSearch, shown, children } = props
  return (
    <Page title={title} lead={lead}>
      {query.error && <Problem error={query.error} onRetry={query.refetch} />}
      {!query.error && (
        <section className="card" aria-label={title}>
          <div className="toolbar">
            <SearchBox
              label="Search name, tag, node…"
              value={search.q}
              onValue={(q) => onSearch({ ...search, q })}
            />
            <ChoiceFilter
              label="Health"
              value={search.state}
              options={() => STATES.map((state) => [state, STATE_NAMES[state]] as const)}
              onValue={(state) => onSearch({ ...search, state: state as State | undefined })}
            />
            {query.data && (
              <span className="count nums" role="status">
                {shown.length === query.data.length
                  ? shown.length
                  : `${shown.length} of ${query.data.length}`}
              </span>
            )}
          </div>
          {query.isPending && <Skeleton lines={6} />}
          {query.data &&
            (shown.length > 0 ? (
              children
            ) : query.data.length === 0 ? (
              <Empty icon={icon} title={emptyTitle}>
                {empty}
              </Empty>
            ) : (
              <Empty icon={icon} title="Nothing matches">
                Use fewer words, or clear the filters.
              </Empty>
            ))}
        </section>
      )}
    </Page>
  )
}
