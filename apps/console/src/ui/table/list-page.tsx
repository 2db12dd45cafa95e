/** The page of a list of records, with a search in the URL: policies, services and the like. */
import type { QueryKey } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type LucideIcon, Plus, Search, SearchX } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { type Open, useLive, useOnce } from '../../live/use-live.ts'
import { type RightName, useRights } from '../../session/use-rights.ts'
import { Button } from '../controls.tsx'
import { Empty, Loaded } from '../feedback.tsx'
import { Page } from '../page.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { type ListSearch, searchRecords } from './list-search.ts'

interface ListPageProps<T> {
  readonly title: string
  readonly lead: string
  readonly queryKey: QueryKey
  readonly watch: Open<readonly T[]>
  readonly columns: readonly Column<T>[]
  readonly keyOf: (record: T) => string
  /** The text by which the list is sorted; absent: in the order of the server. */
  readonly sortBy?: (record: T) => string
  readonly textsOf: (record: T) => readonly string[]
  readonly searchLabel?: string
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text: string }
  readonly narrowTracks?: string
  /** The kind of record that the person may create; absent: none. */
  readonly create?: { readonly what: string; readonly needs: RightName | boolean; readonly to?: string }
  readonly dialog?: (onClose: () => void) => ReactNode
  readonly filters?: ReactNode
  readonly isShown?: (record: T) => boolean
  readonly children?: ReactNode
}

export function ListPage<T>(props: ListPageProps<T>) {
  const { title, lead, queryKey, watch, columns, keyOf, sortBy, textsOf, empty, create, dialog, isShown } =
    props
  const rights = useRights()
  const query = useLive(queryKey, watch)
  const search = useSearch({ strict: false }) as ListSearch
  const change = useChangeSearch()
  const { data } = query
  const sorted = useMemo(
    () => (sortBy ? data?.toSorted((a, b) => sortBy(a).localeCompare(sortBy(b))) : data),
    // It does not change during the life of a page.
    [data],
  )
  const needs = create?.needs ?? false
  const mayCreate = typeof needs === 'boolean' ? needs : rights[needs]
  const couldCreate = useOnce(mayCreate)
  return (
    <Page
      title={title}
      lead={lead}
      actions={mayCreate && create && <CreateAction {...create} onClick={() => change({ create: true })} />}
    >
      <div className="stack" data-gap="large">
        {props.children}
        <section className="card" aria-label={title}>
          {/* A list that was read stays while the server is away. */}
          <Loaded query={{ ...query, data: sorted, error: sorted ? null : query.error }}>
            {(records) => {
              const shown = searchRecords(isShown ? records.filter(isShown) : records, search.q, textsOf)
              return (
                <>
                  <div className="toolbar">
                    <SearchBox
                      label={props.searchLabel ?? `Search ${title.toLowerCase()}`}
                      value={search.q}
                      onValue={(q) => change({ q })}
                    />
                    {props.filters}
                    <span className="count nums" role="status">
                      {countText(shown.length, records.length)}
                    </span>
                  </div>
                  {shown.length > 0 ? (
                    <DataTable
                      label={title}
                      columns={columns}
                      rows={shown}
                      keyOf={keyOf}
                      narrowTracks={props.narrowTracks ?? 'minmax(0, 1fr)'}
                    />
                  ) : records.length > 0 ? (
                    <Empty
                      icon={SearchX}
                      title="Nothing matches"
                      actions={
                        <Button onClick={() => change({ q: undefined, state: undefined })}>
                          Clear search
                        </Button>
                      }
                    />
                  ) : (
                    <Empty icon={empty.icon} title={empty.title}>
                      {empty.text}
                    </Empty>
                  )}
                </>
              )
            }}
          </Loaded>
        </section>
      </div>
      {search.create && couldCreate && dialog?.(() => change({ create: undefined }))}
    </Page>
  )
}

export function useChangeSearch(): (part: object) => void {
  const navigate = useNavigate()
  return (part) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...part }), replace: true })
}

interface CreateActionProps {
  readonly what: string
  /** Its page; absent: a dialog. */
  readonly to?: string
  readonly onClick: () => void
}

export function CreateAction({ what, to, onClick }: CreateActionProps) {
  if (to === undefined) {
    return (
      <Button look="primary" onClick={onClick} icon={Plus}>
        Create {what}
      </Button>
    )
  }
  return (
    <Link to={to} className="button" data-look="primary">
      <Plus aria-hidden />
      Create {what}
    </Link>
  )
}

/** `12`, or `3 of 12`. */
export function countText(shown: number, all: number): string {
  return `${shown === all ? '' : `${shown.toLocaleString('en')} of `}${all.toLocaleString('en')}`
}

interface SearchBoxProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string | undefined
  /** `undefined`: no search. */
  readonly onValue: (value: string | undefined) => void
}

export function SearchBox({ label, placeholder = label, value, onValue }: SearchBoxProps) {
  return (
    <div className="search input-with-icon">
      <Search aria-hidden />
      <input
        className="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value ?? ''}
        onChange={(event) => onValue(event.target.value || undefined)}
      />
    </div>
  )
}
