/** Tables for people: aligned columns without borders. */
import { visible } from '@latchkey/contract/plain'
import Table from 'cli-table3'
import { stringify } from 'yaml'
import type { Paint } from '../frame/io.ts'

/** A column of a table or a line of one record: a field, or a title and its text. Empty lines of a record are left out. */
export type Column<T> = (keyof T & string) | readonly [title: string, text: (record: T) => string]

function titleOf<T>(column: Column<T>): string {
  return typeof column === 'string' ? column : column[0]
}

function textOf<T>(record: T, column: Column<T>): string {
  if (typeof column !== 'string') return visible(column[1](record))
  const value = record[column] ?? ''
  // As YAML, which shows keys and certificates with their line ends, and which --config reads.
  return visible(typeof value === 'object' ? stringify(value, { lineWidth: 0 }) : String(value))
}

const GAP = '  '
/** Minimum width of the last column when it is wrapped. */
const LAST_WIDTH_MIN = 20
/** Minimum width of other columns when they are wrapped: the length of an ID, which is never split. */
const WIDTH_MIN = 36

interface TableOptions {
  readonly paint: Paint
  /** Width of the terminal; `undefined` disables wrapping. */
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
  const cells = rows.map((row) => columns.map((column) => textOf(row, column)))
  const table = new Table({
    chars: NO_BORDER,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: widthsOf(cells, columns, options.width),
    wordWrap: true,
  })
  table.push(columns.map((column) => options.paint('bold', titleOf(column))))
  table.push(...cells)
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`
}

/** Wraps the last column to the remaining width and, if this is too small, the widest of the other columns. */
function widthsOf<T>(
  cells: readonly (readonly string[])[],
  columns: readonly Column<T>[],
  width: number | undefined,
): (number | null)[] {
  const widths = columns.map((column, i) =>
    Math.max(titleOf(column).length, ...cells.map((row) => lengthOf(row[i] ?? ''))),
  )
  const others = widths.slice(0, -1)
  const last = widths.at(-1) ?? 0
  const room = (width ?? Number.POSITIVE_INFINITY) - others.length * GAP.length
  if (sumOf(others) + last <= room) return columns.map(() => null)
  const bound = boundOf(others, room - Math.min(last, LAST_WIDTH_MIN))
  const bounded = others.map((each) => Math.min(each, bound))
  return [
    ...others.map((each) => (each > bound ? bound : null)),
    Math.max(LAST_WIDTH_MIN, room - sumOf(bounded)),
  ]
}

/** The maximum column width with which all columns fit, if possible. */
function boundOf(widths: readonly number[], room: number): number {
  let bound = Math.max(WIDTH_MIN, ...widths)
  while (bound > WIDTH_MIN && sumOf(widths.map((each) => Math.min(each, bound))) > room) bound -= 1
  return bound
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0)
}

function lengthOf(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length))
}

/** A line per field; texts with several lines go below their title. */
export function renderRecord<T>(record: T, columns: readonly Column<T>[], paint: Paint): string {
  const fields = columns
    .map((column) => [titleOf(column), textOf(record, column)] as const)
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
