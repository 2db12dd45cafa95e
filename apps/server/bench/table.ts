/** Formats figures for people. */
import type { CommitFigures, Figures, LoadFigures, SizeFigures, WaiterFigures } from './bench.ts'

export function printFigures({ loads, waiters, sizes, commits }: Figures): string {
  return [
    loads.length === 0 ? '' : table(LOAD_HEAD, loads.map(loadRow)),
    commits.length === 0
      ? ''
      : table(
          COMMIT_HEAD,
          commits.map((row) => commitRow(row, loads)),
        ),
    waiters.length === 0 ? '' : table(WAITER_HEAD, waiters.map(waiterRow)),
    sizes.length === 0 ? '' : table(SIZE_HEAD, sizes.map(sizeRow)),
  ]
    .filter((text) => text !== '')
    .join('\n')
}

const LOAD_HEAD = [
  'case',
  'clients',
  'per s',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'raw per s',
  'of raw',
  'raw CPU µs',
  'Express per s',
  'of Express',
  'failures',
]

function loadRow(figures: LoadFigures): string[] {
  const { perSecond, raw, express, cpuUs } = figures
  return [
    figures.case,
    String(figures.connections),
    perSecond.toFixed(0),
    figures.p50Ms.toFixed(2),
    figures.p99Ms.toFixed(2),
    cpuUs?.toFixed(1) ?? '',
    raw?.perSecond.toFixed(0) ?? '',
    raw ? (perSecond / raw.perSecond).toFixed(2) : '',
    raw?.cpuUs?.toFixed(1) ?? '',
    express?.perSecond.toFixed(0) ?? '',
    express ? (perSecond / express.perSecond).toFixed(2) : '',
    String(figures.failures),
  ]
}

const WAITER_HEAD = ['case', 'clients', 'p50 ms', 'p99 ms', 'raw p99 ms', 'of raw', 'KiB each']

function waiterRow(figures: WaiterFigures): string[] {
  return [
    figures.case,
    String(figures.waiters),
    figures.p50Ms.toFixed(0),
    figures.p99Ms.toFixed(0),
    figures.rawP99Ms.toFixed(0),
    (figures.p99Ms / figures.rawP99Ms).toFixed(2),
    (figures.bytesEach / 1_024).toFixed(1),
  ]
}

const SIZE_HEAD = [
  'case',
  'tokens',
  'first read ms',
  'RSS MB',
  'first list ms',
  'after restart ms',
  'again ms',
  'list MB',
  'RSS MB after',
  'RSS MB most',
]

function sizeRow(figures: SizeFigures): string[] {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)
  return [
    figures.case,
    String(figures.tokens),
    figures.firstReadMs.toFixed(0),
    megabytes(figures.residentBytesAtStart),
    figures.firstListMs.toFixed(0),
    figures.restartedListMs.toFixed(0),
    figures.listAgainMs.toFixed(0),
    megabytes(figures.listBytes),
    megabytes(figures.residentBytesAfter),
    megabytes(figures.residentBytesMax),
  ]
}

const COMMIT_HEAD = [
  'creates',
  'clients',
  'store per s',
  'hand-made per s',
  'of hand-made',
  'over HTTP',
  'of hand-made',
]

function commitRow(figures: CommitFigures, loads: readonly LoadFigures[]): string[] {
  const { clients, storePerSecond, handMadePerSecond } = figures
  const http = loads.find((load) => load.case === `create-${clients}`)?.perSecond
  return [
    'in groups',
    String(clients),
    storePerSecond.toFixed(0),
    handMadePerSecond.toFixed(0),
    (storePerSecond / handMadePerSecond).toFixed(2),
    http?.toFixed(0) ?? '',
    http === undefined ? '' : (http / handMadePerSecond).toFixed(2),
  ]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  return `${[line(head), ...rows.map(line)].join('\n')}\n`
}
