/** The lanes of a chart with tokens and with the errors of clients. */
import { type Html, html } from '@latchkey/contract'
import { counted } from '../../findings/finding.ts'
import type { Clock } from '../clock.ts'
import { formatCount } from '../page.ts'
import type { Chart, ClientTrack, TokenLine } from './chart.ts'
import { round, type TimeScale } from './scale.ts'

const HEIGHT = 120
/** Number of line colours. */
const COLOURS = 4

/**
 * Tokens without an accessor over time: one line per datacenter, dashed if there is a measured line too. Undefined if every
 * token always has an accessor.
 */
export function tokenLane(
  charts: readonly Chart[],
  scale: TimeScale,
  clock: Clock,
): { label: Html; plot: Html } | undefined {
  const isPair = charts.length === 2
  const lines = charts.flatMap((chart, i) =>
    chart.tokens.map((line) => ({
      line,
      name: isPair ? `${line.datacenter}, ${i === 0 ? 'predicted' : 'measured'}` : line.datacenter,
      isDashed: isPair && i === 0,
    })),
  )
  const most = Math.max(0, ...lines.flatMap(({ line }) => line.points.map(({ remaining }) => remaining)))
  if (most === 0) return undefined
  const paths = lines.map(({ line, isDashed }, i) => {
    const path = pathOf(line, scale, most)
    const colour = `s-${i % COLOURS}`
    const area = i === 0 && html`<path class="area ${colour}" d="${path}V${HEIGHT}H0Z"/>`
    return html`${area}<path class="line ${colour}${isDashed && ' dashed'}" d="${path}"/>`
  })
  const names = lines.map(
    ({ line, name, isDashed }, i) =>
      html`<li><i class="s-${i % COLOURS}${isDashed && ' dashed'}"></i>${name}<small>${doneText(line, clock)}</small></li>`,
  )
  const spoken = lines.map(({ line, name }) => `${name}: ${doneText(line, clock)}`).join('; ')
  const label = html`<b>${formatCount(most)}</b> <small>at most</small><ul class="lines">${names}</ul>`
  return {
    label,
    plot: html`<svg viewBox="0 0 1000 ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Tokens without an accessor, at most ${formatCount(most)}; ${spoken}">${paths}</svg>`,
  }
}

function pathOf({ points }: TokenLine, scale: TimeScale, most: number): string {
  const x = (ms: number) => round(scale.percent(ms) * 10)
  const y = (remaining: number) => round(HEIGHT - (remaining / most) * (HEIGHT - 4))
  const steps = points.map(({ at, remaining }, i) =>
    i === 0 ? `M${x(at)} ${y(remaining)}` : `H${x(at)}V${y(remaining)}`,
  )
  return `${steps.join('')}H1000`
}

function doneText({ points }: TokenLine, clock: Clock): string {
  const last = points.at(-1)
  if (last === undefined) return ''
  return last.remaining === 0
    ? `none left at ${clock.time(last.at)}`
    : `${formatCount(last.remaining)} left at the end`
}

/** The errors and unexpected answers of one workload over time. */
export function clientLane({ name, spans }: ClientTrack, scale: TimeScale): { label: Html; plot: Html } {
  const kinds = [true, false].map((isError) => spans.filter((each) => each.isError === isError))
  const [errors = 0, odd = 0] = kinds.map((own) => own.reduce((sum, { count }) => sum + count, 0))
  const parts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(odd > 0 ? [counted(odd, 'unexpected answer')] : []),
  ]
  const text = parts.join(', ') || 'no error'
  const x = (ms: number) => Math.round(scale.percent(ms) * 10)
  const rows = kinds.map((own, i) => {
    // Errors are in the upper half, or in the whole height without unexpected answers.
    const [top, bottom] = i === 1 ? [9, 16] : [0, odd > 0 ? 8 : 16]
    const bars = new Set(
      own.map(({ from, to }) => `M${x(from)} ${top}H${Math.max(x(to), x(from) + 4)}V${bottom}H${x(from)}Z`),
    )
    return bars.size > 0 && html`<path class="${i === 0 ? 'c-error' : 'c-odd'}" d="${[...bars].join('')}"/>`
  })
  return {
    label: html`<b>${name}</b> <small>${text}</small>`,
    plot: html`<svg viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label="${name}: ${text}">${rows}</svg>`,
  }
}
