/** A table of any length, of which only the visible rows are in the page. */
import { Link, type LinkProps } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useRem } from '../use-rem.ts'

/** `track`: a CSS track, such as `minmax(0, 2fr)`. */
export type Column<T> = readonly [
  header: string,
  track: string,
  cell: (row: T) => ReactNode,
  /** `low`: omitted if the table is narrow. `sort`: its name in the URL, if rows can be sorted by it. */
  more?: { readonly priority?: 'low'; readonly sort?: string },
]

export interface Sorting {
  readonly column: string
  readonly descending: boolean
}

interface DataTableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly rowRem?: number
  readonly sorting?: Sorting | undefined
  readonly onSort?: ((column: string) => void) | undefined
  /** Tracks of the remaining columns if the table is narrow. */
  readonly narrowTracks?: string
}

const OVERSCAN = 12
/** Height of a row: two lines of text. */
const ROW_REM = 3.75
/** Up to this number of rows, the table is as high as its content. */
const SHOWN_WHOLE = 12

/** Rows whose first cell has a link, which a click on the row follows, and between which the arrow keys move. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, rows, keyOf, sorting, onSort, narrowTracks } = props
  const rowHeight = (props.rowRem ?? ROW_REM) * useRem()
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
  })
  // A wider screen or the person's settings may enlarge the text.
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const items = virtualizer.getVirtualItems()

  const move = (event: KeyboardEvent) => {
    const at = Number(
      (event.target as HTMLElement).closest('[data-index]')?.getAttribute('data-index') ?? Number.NaN,
    )
    const to = Number.isNaN(at) ? undefined : targetOf(event.key, at, rows.length)
    if (to === undefined) return
    event.preventDefault()
    virtualizer.scrollToIndex(to)
    // The row may not exist before the next frame.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] a`)?.focus({ preventScroll: true }),
    )
  }

  const style = {
    '--columns': columns.map(([, track]) => track).join(' '),
    ...(narrowTracks === undefined ? {} : { '--columns-narrow': narrowTracks }),
  } as CSSProperties
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned.
    <div className="table" role="table" aria-label={label} aria-rowcount={rows.length + 1} style={style}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      <div role="rowgroup">
        {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: its buttons are. */}
        <div className="table-head" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <Header key={column[0]} column={column} sorting={sorting} onSort={onSort} />
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links inside. */}
      <div
        ref={scroller}
        className="table-scroll"
        role="presentation"
        style={{
          height: `min(${rows.length * rowHeight}px, max(${SHOWN_WHOLE * rowHeight * 0.6}px, calc(100dvh - 19rem)))`,
        }}
        onKeyDown={move}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
        <div role="rowgroup" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {items.map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            return (
              // biome-ignore lint/a11y/useSemanticElements: as above.
              // biome-ignore lint/a11y/useFocusableInteractive: its link is.
              <div
                key={keyOf(row)}
                className="table-row"
                role="row"
                data-index={item.index}
                aria-rowindex={item.index + 2}
                style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
              >
                {columns.map(([header, , cell, more]) => (
                  // biome-ignore lint/a11y/useSemanticElements: as above.
                  <div key={header} role="cell" data-priority={more?.priority}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function targetOf(key: string, at: number, count: number): number | undefined {
  const page = 10
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  }
  const to = targets[key]
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to))
}

interface TitleCellProps extends Pick<LinkProps, 'to' | 'params'> {
  readonly title: string
  readonly sub: string
  readonly isMono?: boolean
}

export function TitleCell({ title, sub, isMono = false, ...link }: TitleCellProps) {
  return (
    <span className="cell-title">
      <Link {...link} preload={false} className="cell-link truncate">
        {title}
      </Link>
      <span className={`cell-sub ${isMono ? 'mono ' : ''}truncate`}>{sub}</span>
    </span>
  )
}

interface HeaderProps<T> extends Pick<DataTableProps<T>, 'sorting' | 'onSort'> {
  readonly column: Column<T>
}

function Header<T>({ column: [header, , , { priority, sort } = {}], sorting, onSort }: HeaderProps<T>) {
  const isSorted = sort !== undefined && sorting?.column === sort
  const direction = sorting?.descending ? 'descending' : 'ascending'
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a <table> cannot be positioned.
    // biome-ignore lint/a11y/useFocusableInteractive: its button is.
    <div role="columnheader" data-priority={priority} {...(isSorted ? { 'aria-sort': direction } : {})}>
      {sort !== undefined && onSort ? (
        <button type="button" onClick={() => onSort(sort)}>
          {header}
          {isSorted && (sorting.descending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
        </button>
      ) : (
        header
      )}
    </div>
  )
}
