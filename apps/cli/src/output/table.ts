/** Tables for people: aligned columns without borders. */
import Table from 'cli-table3'
import type { Paint } from '../frame/io.ts'
import type { Column } from './column.ts'
import { visible } from './visible.ts'

const GAP = '  '
/** The last column is wrapped to at least this width. */
const LAST_WIDTH_MIN = 20

interface TableOptions {
  readonly paint: Paint
  /** Of the terminal; `undefined`: nothing is wrapped. */
  readonly width: number | undefined
}

const NO_BORDER = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('middle', 'mid-mid')
    .map((name) => [name, name === 'middle' ? GAP : '']),
)

/** A line per record below the titles. */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: TableOptions,
): string {
  const cells = rows.map((row) => columns.map(({ text }) => visible(text(row))))
  const table = new Table({
    chars: NO_BORDER,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: widthsOf(cells, columns, options.width),
    wordWrap: true,
  })
  table.push(columns.map(({ title }) => options.paint('bold', title)))
  table.push(...cells)
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`
}

/** Cuts the last column to what the terminal leaves for it. */
function widthsOf<T>(
  cells: readonly (readonly string[])[],
  columns: readonly Column<T>[],
  width: number | undefined,
): (number | null)[] {
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...cells.map((row) => lengthOf(row[i] ?? ''))),
  )
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0)
  const last = widths.at(-1) ?? 0
  if (width === undefined || before + last <= width) return columns.map(() => null)
  return columns.map((_, i) => (i < columns.length - 1 ? null : Math.max(LAST_WIDTH_MIN, width - before)))
}

function lengthOf(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length))
}

/** A line per field; texts of several lines stand below their title. */
export function renderRecord<T>(record: T, columns: readonly Column<T>[], paint: Paint): string {
  const fields = columns
    .map(({ title, text }) => [title, visible(text(record))] as const)
    .filter(([, text]) => text !== '')
  const width = Math.max(0, ...fields.map(([title]) => title.length))
  return fields
    .map(([title, text]) => {
      if (!text.includes('\n')) return `${paint('bold', title.padEnd(width))}${GAP}${text}\n`
      const lines = text.replace(/\n+$/, '').split('\n')
      return `${paint('bold', title)}\n${lines.map((line) => `  ${line}\n`).join('')}`
    })
    .join('')
}
