/** The comparison for people: a table of ratios, and a self-contained page with charts. */
import { type Html, html } from '@latchkey/contract'
import type { Contest, Side } from './contest.ts'

export interface Result {
  readonly row: string
  readonly unit: string
  readonly contest: Contest
}

export interface About {
  readonly machine: string
  readonly ours: string
  readonly theirs: string
  readonly seconds: number
  readonly rounds: number
}

const HEAD = ['row', 'unit', 'ours', 'theirs', 'ratio', 'p99 ratio', 'CPU ratio', 'noise', 'verdict']

export function printTable(results: readonly Result[]): string {
  const rows = [HEAD, ...results.map(cells)]
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

function cells({ row, unit, contest: { ours, theirs, ratio, ratioP99, disturbed } }: Result): string[] {
  return [
    row,
    unit,
    figure(ours.value),
    figure(theirs.value),
    ratio.toFixed(2),
    ratioP99?.toFixed(2) ?? '',
    cpuRatio(ours, theirs)?.toFixed(2) ?? '',
    `${percent(ours.noise)} / ${percent(theirs.noise)}`,
    verdict({ ours, theirs, ratio, disturbed }),
  ]
}

/** How many times as much processor time the other server takes for an answer. */
function cpuRatio(ours: Side, theirs: Side): number | undefined {
  return ours.cpuUs && theirs.cpuUs ? theirs.cpuUs / ours.cpuUs : undefined
}

type Judged = Pick<Contest, 'ours' | 'theirs' | 'ratio' | 'disturbed'>

/** A difference within the noise of either side is no difference. */
function verdict({ ours, theirs, ratio, disturbed }: Judged): string {
  if (disturbed !== undefined) return `none: ${disturbed}`
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

const BAR_WIDTH = 360

/** Each row as two bars; the longer one is as wide as the column. */
export function page(about: About, results: readonly Result[]): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Two servers side by side</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --ours: #2f6fdb; --theirs: #9aa4b2 }
  body { max-width: 68rem; margin: 2.5rem auto; padding: 0 1rem }
  h1 { font-size: 1.5rem; margin-bottom: .25rem }
  p { color: color-mix(in srgb, currentColor 70%, transparent) }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
  th, td { text-align: left; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); vertical-align: middle }
  td.n { text-align: right }
  .noise { white-space: nowrap }
  td:last-child { max-width: 11rem; font-size: .85em }
  .key { display: inline-block; width: .75em; height: .75em; border-radius: 2px; margin: 0 .35em 0 1em }
  .none { opacity: .55 }
</style>
<h1>Two servers side by side</h1>
<p>${about.machine}. Medians of ${about.rounds} rounds of ${about.seconds} s, in turn. Ratios above 1: the first server leads.</p>
<p><span class="key" style="background:var(--ours)"></span>${about.ours}
<span class="key" style="background:var(--theirs)"></span>${about.theirs}</p>
<table>
<tr><th>Row</th><th></th><th>Ratio</th><th>p99</th><th>CPU</th><th>Noise</th><th>Verdict</th></tr>
${results.map(chart)}
</table>
</html>
`.text
}

function chart({ row, unit, contest }: Result): Html {
  const { ours, theirs, ratio, ratioP99, disturbed } = contest
  const most = Math.max(ours.value, theirs.value)
  const bar = (side: Side, at: number, colour: string) => {
    const width = (side.value / most) * BAR_WIDTH
    return html`<rect x="0" y="${at}" width="${width.toFixed(1)}" height="12" rx="2" fill="var(--${colour})"/><text x="${(width + 6).toFixed(1)}" y="${at + 10}" font-size="11" fill="currentColor">${figure(side.value)}</text>`
  }
  const svg = html`<svg width="${BAR_WIDTH + 80}" height="30" role="img" aria-label="ours ${figure(ours.value)}, theirs ${figure(theirs.value)} ${unit}">${bar(ours, 0, 'ours')}${bar(theirs, 16, 'theirs')}</svg>`
  const ratios = [ratio, ratioP99, cpuRatio(ours, theirs)].map(
    (each) => html`<td class="n">${each?.toFixed(2) ?? ''}</td>`,
  )
  const noise = `${percent(ours.noise)} / ${percent(theirs.noise)}`
  const dim = disturbed === undefined ? '' : html` class="none"`
  return html`<tr${dim}><td>${row}<br><small>${unit}</small></td><td>${svg}</td>${ratios}<td class="noise">${noise}</td><td>${verdict(contest)}</td></tr>
`
}
