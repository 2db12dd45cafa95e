/** A list of records with a search in the URL: policies, roles and the like. */
import type { RowData } from '@tanstack/react-table'
import { type LucideIcon, Search, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../controls.tsx'
import { Empty, Problem, Skeleton } from '../feedback.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { searchRecords } from './list-search.ts'

interface RecordListProps<T> {
  /** The name of the list: "Policies". */
  readonly label: string
  readonly records: readonly T[] | undefined
  readonly error: unknown
  readonly onRetry: () => unknown
  readonly columns: readonly Column<T>[]
  readonly keyOf: (record: T) => string
  /** The searched texts. */
  readonly textOf: (record: T) => string
  readonly q: string | undefined
  readonly onSearch: (q: string | undefined) => void
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text: string }
  readonly narrowTracks?: string
  /** Filters beside the search. */
  readonly children?: ReactNode
}

export function RecordList<T extends RowData>(props: RecordListProps<T>) {
  const { label, records, error, onRetry, columns, keyOf, textOf, q, onSearch, empty } = props
  if (error && records === undefined) return <Problem error={error} onRetry={onRetry} />
  const shown = records && searchRecords(records, q, textOf)
  return (
    <section className="card" aria-label={label}>
      <div className="toolbar">
        <div className="search input-with-icon">
          <Search aria-hidden />
          <input
            className="input"
            type="search"
            aria-label={`Search ${label.toLowerCase()}`}
            placeholder="Search…"
            value={q ?? ''}
            onChange={(event) => onSearch(event.target.value || undefined)}
          />
        </div>
        {props.children}
        {shown && records && (
          <span className="count nums" role="status">
            {countText(shown.length, records.length)}
          </span>
        )}
      </div>
      {!shown ? (
        <Skeleton lines={6} />
      ) : shown.length > 0 ? (
        <DataTable
          label={label}
          columns={columns}
          rows={shown}
          keyOf={keyOf}
          {...(props.narrowTracks === undefined ? {} : { narrowTracks: props.narrowTracks })}
        />
      ) : q ? (
        <Empty
          icon={SearchX}
          title="Nothing matches"
          actions={<Button onClick={() => onSearch(undefined)}>Clear search</Button>}
        />
      ) : (
        <Empty icon={empty.icon} title={empty.title}>
          {empty.text}
        </Empty>
      )}
    </section>
  )
}

function countText(shown: number, all: number): string {
  return shown === all
    ? all.toLocaleString('en')
    : `${shown.toLocaleString('en')} of ${all.toLocaleString('en')}`
}

interface SearchBoxProps {
  readonly label: string
  readonly value: string | undefined
  /** `undefined`: no search. */
  readonly onValue: (value: string | undefined) => void
}

/** The search field of a toolbar. */
export function SearchBox({ label, value, onValue }: SearchBoxProps) {
  return (
    <div className="search input-with-icon">
      <Search aria-hidden />
      <input
        className="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value ?? ''}
        onChange={(event) => onValue(event.target.value || undefined)}
      />
    </div>
  )
}
