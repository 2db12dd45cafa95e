/** The results as a table. */
import type { Contest, Side } from './contest.ts'

export interface Result {
  readonly row: string
  readonly unit: string
  /** The ratio that we want; 1 at least. */
  readonly goal: number
  readonly contest: Contest
}

const HEAD = [
  'row',
  'unit',
  'ours',
  'p99 ms',
  'CPU µs',
  'theirs',
  'ratio',
  'goal',
  'before',
  'p99 ratio',
  'CPU ratio',
  'noise',
  'verdict',
]

/** @param before results of an earlier run, whose ratios are shown beside these. */
export function printTable(results: readonly Result[], before: readonly Result[] = []): string {
  const ratios = new Map(before.map(({ row, contest }) => [row, contest.ratio]))
  const rows = [HEAD, ...results.map((result) => cells(result, ratios.get(result.row)))]
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

function cells({ row, unit, goal, contest }: Result, before: number | undefined): string[] {
  const { ours, theirs, ratio, ratioP99, disturbed } = contest
  return [
    row,
    unit,
    figure(ours.value),
    ours.p99Ms?.toFixed(1) ?? '',
    ours.cpuUs?.toFixed(1) ?? '',
    theirs ? figure(theirs.value) : '',
    ratio?.toFixed(2) ?? '',
    theirs ? String(goal) : '',
    before?.toFixed(2) ?? '',
    ratioP99?.toFixed(2) ?? '',
    cpuRatio(ours, theirs)?.toFixed(2) ?? '',
    theirs ? `${percent(ours.noise)} / ${percent(theirs.noise)}` : percent(ours.noise),
    verdict({ ours, theirs, ratio, disturbed }),
  ]
}

/** How many times as much processor time the other server takes for an answer. */
function cpuRatio(ours: Side, theirs: Side | undefined): number | undefined {
  return ours.cpuUs && theirs?.cpuUs ? theirs.cpuUs / ours.cpuUs : undefined
}

type Judged = Pick<Contest, 'ours' | 'theirs' | 'ratio' | 'disturbed'>

/** A difference within the noise of either side is no difference. */
export function verdict({ ours, theirs, ratio, disturbed }: Judged): string {
  if (disturbed !== undefined) return `none: ${disturbed}`
  if (!theirs || ratio === undefined) return ''
  const noise = Math.max(ours.noise, theirs.noise)
  if (Math.abs(Math.log(ratio)) <= Math.log1p(noise)) return 'even'
  return ratio > 1 ? 'ahead' : 'behind'
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
