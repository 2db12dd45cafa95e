/** What clients saw over time: one row per kind, darker for higher counts. */
import type { ClientErrors } from '../clients/tally.ts'
import { formatSeconds } from '../scenario/time.ts'
import { axis, canvas, escapeHtml, legend } from './markup.ts'
import { round, timeScale } from './scale.ts'

/** Columns of a row; narrower ones would be indistinguishable on a phone. */
const BINS = 100

/** Empty where clients saw nothing but what they are used to. */
export function renderClients(clients: ReadonlyMap<string, ClientErrors>): string {
  if (clients.size === 0) return ''
  const last = Math.max(...[...clients.values()].map((each) => each.last))
  const scale = timeScale(Math.max(1_000, last * 1.05))
  const rows = [...clients].map(([kind, each]) => {
    const counts = binsOf(each, scale.end)
    const most = Math.max(...counts)
    const name = each.isError ? 'c-error' : 'c-odd'
    const bars = counts.map((count, i) =>
      count === 0
        ? ''
        : `<rect class="${name}" x="${i * 10}" y="2" width="10" height="12" opacity="${round(0.35 + (0.65 * count) / most)}"/>`,
    )
    const answer = each.status === undefined ? each.text : `${each.status} ${each.text}`
    const span = `${formatSeconds(each.first)} to ${formatSeconds(each.last)}`
    const label = `${kind}: ${each.count} calls, ${span}`
    return `<div class="row"><div class="name">${escapeHtml(kind)} <small>${each.count.toLocaleString('en-US')} calls, ${escapeHtml(span)}</small></div>${canvas(16, bars.join(''), label)}<div class="answer"><code>${escapeHtml(answer)}</code></div></div>`
  })
  const names = [
    { name: 'c-error', label: 'error' },
    { name: 'c-odd', label: 'odd answer' },
  ].filter((_, i) => [...clients.values()].some((each) => each.isError === (i === 0)))
  return `<div class="chart">${rows.join('')}${axis(scale)}</div>${legend(names)}`
}

/** Calls per column; the calls of a stretch are spread over it evenly. */
function binsOf({ spans }: ClientErrors, end: number): number[] {
  const bins = new Array<number>(BINS).fill(0)
  for (const { from, to, count } of spans) {
    const first = Math.min(BINS - 1, Math.floor((from / end) * BINS))
    const last = Math.min(BINS - 1, Math.floor((to / end) * BINS))
    const share = count / (last - first + 1)
    for (let i = first; i <= last; i++) bins[i] = (bins[i] ?? 0) + share
  }
  return bins
}
