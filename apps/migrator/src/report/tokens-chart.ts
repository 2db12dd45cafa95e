/** Tokens without accessor over time, in every datacenter. */
import { formatSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { size } from '../simulate/ranges.ts'
import { axis, canvas, escapeHtml, legend } from './markup.ts'
import { round, timeScale } from './scale.ts'

/** Points of a line; a migration may have a hundred thousand batches. */
const POINTS_MAX = 400
const HEIGHT = 160
/** Colours that tell datacenters apart. */
const SERIES_COLOURS = 4

interface Series {
  readonly name: string
  readonly points: readonly { readonly at: number; readonly remaining: number }[]
}

/** Empty where no token ever got an accessor. */
export function renderTokens(history: History): string {
  const series = seriesOf(history)
  const last = Math.max(0, ...series.map(({ points }) => points.at(-1)?.at ?? 0))
  const most = Math.max(0, ...series.flatMap(({ points }) => points.map(({ remaining }) => remaining)))
  if (most === 0) return ''
  const scale = timeScale(Math.max(1_000, last * 1.03))
  const x = (ms: number) => round(scale.percent(ms) * 10)
  const y = (remaining: number) => round(HEIGHT - (remaining / most) * (HEIGHT - 4))
  const lines = series.map(({ points }, i) => {
    const steps = thin(points).map(({ at, remaining }, j) =>
      j === 0 ? `M${x(at)} ${y(remaining)}` : `H${x(at)}V${y(remaining)}`,
    )
    const path = `${steps.join('')}H1000`
    const colour = `s-${i % SERIES_COLOURS}`
    const area = i === 0 ? `<path class="area ${colour}" d="${path}V${HEIGHT}H0Z"/>` : ''
    return `${area}<path class="line ${colour}" d="${path}"/>`
  })
  const grid = [0.25, 0.5, 0.75].map(
    (part) => `<line class="grid" x1="0" x2="1000" y1="${HEIGHT * part}" y2="${HEIGHT * part}"/>`,
  )
  const names = series.map(({ name }, i) => ({ name: `s-${i % SERIES_COLOURS}`, label: name }))
  const label = `${most} tokens without accessor at most, none after ${formatSeconds(last)}`
  return `<div class="chart"><div class="top">${escapeHtml(most.toLocaleString('en-US'))} tokens</div>${canvas(HEIGHT, [...grid, ...lines].join(''), label)}${axis(scale)}</div>${legend(names)}`
}

function seriesOf(history: History): Series[] {
  return history.datacenters.flatMap((name) => {
    const points = name === history.primary ? primaryPoints(history) : secondaryPoints(history, name)
    return points.length === 0 ? [] : [{ name, points }]
  })
}

function primaryPoints(history: History): { at: number; remaining: number }[] {
  const points = [{ at: 0, remaining: history.tokensAtStart }]
  for (const each of history.records) {
    const before = points.at(-1)?.remaining ?? 0
    if (each.kind === 'batch' && each.datacenter === history.primary)
      points.push({ at: each.at, remaining: each.remaining })
    if (each.kind === 'tokens' && each.refused === undefined) {
      if (each.action === 'created') points.push({ at: each.at, remaining: before + each.unmigrated })
      if (each.action === 'deleted') points.push({ at: each.at, remaining: before - each.unmigrated })
    }
  }
  return history.tokensAtStart === 0 && points.length === 1 ? [] : points
}

/** What a secondary holds is what the primary holds, less the tokens whose accessor has arrived. */
function secondaryPoints(history: History, datacenter: string): { at: number; remaining: number }[] {
  let present = history.tokensAtStart
  let migrated = 0
  const points = [{ at: 0, remaining: present }]
  for (const each of history.records) {
    if (each.kind === 'replicated' && each.datacenter === datacenter) migrated = each.migrated
    else if (each.kind === 'tokens' && each.refused === undefined && each.action === 'created') {
      present += size(each.tokens)
    } else if (each.kind === 'tokens' && each.refused === undefined && each.action === 'deleted') {
      present -= size(each.tokens)
    } else continue
    points.push({ at: each.at, remaining: Math.max(0, present - migrated) })
  }
  return migrated === 0 ? [] : points
}

/** Thins out points, keeping the first and the last. */
function thin<T>(points: readonly T[]): readonly T[] {
  const step = Math.ceil(points.length / POINTS_MAX)
  return points.filter((_, i) => i % step === 0 || i === points.length - 1)
}
