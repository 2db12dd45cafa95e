/** The mode of each server over time: one bar per server, grouped by datacenter. */
import { recordsOf } from '../check/facts.ts'
import { formatSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { axis, canvas, escapeHtml, legend } from './markup.ts'
import { round, type TimeScale, timeScale } from './scale.ts'

const LABELS = {
  old: 'before 1.4.0',
  off: 'ACLs off',
  legacy: 'legacy mode',
  new: 'new mode',
  down: 'down',
  paused: 'standing still',
} as const

type Look = keyof typeof LABELS

interface Stretch {
  readonly from: number
  readonly to: number
  readonly look: Look
  readonly version: string
}

/** The chart ends shortly after the last mode change, so that a long migration does not compress it. */
export function renderModes(history: History): string {
  const stretches = stretchesOf(history)
  const kinds = new Set(['process', 'mode', 'agent-mode', 'leader', 'link', 'reaped'])
  const last = history.records.findLast((each) => kinds.has(each.kind))?.at ?? 0
  const scale = timeScale(Math.max(1_000, last * 1.15))
  const used = new Set([...stretches.values()].flat().map(({ look }) => look))
  const names = (Object.keys(LABELS) as Look[]).filter((look) => used.has(look))
  const completed = recordsOf(history, 'mode').find(
    (each) => each.mode === 'new' && each.datacenter === history.primary,
  )?.at
  const groups = history.datacenters.map((datacenter) => {
    const members = history.members.filter((each) => each.datacenter === datacenter)
    const rows = members.map(({ id, newModeAt, isAgent }) => {
      const bar = renderBar(stretches.get(id) ?? [], scale, completed)
      const when = newModeAt === undefined ? 'never in new mode' : `new mode at ${formatSeconds(newModeAt)}`
      const name = isAgent ? `${id} (agent)` : id
      const label = `${name}: ${when}`
      return `<div class="row"><div class="name">${escapeHtml(name)} <small>${escapeHtml(when)}</small></div>${canvas(18, bar, label)}</div>`
    })
    const role = datacenter === history.primary ? ' (primary)' : ''
    return `<h3>${escapeHtml(datacenter + role)}</h3>${rows.join('')}`
  })
  const items = names.map((name) => ({ name: `m-${name}`, label: LABELS[name] }))
  const marks = [
    { name: 'm-leader', label: 'leads' },
    ...(completed === undefined ? [] : [{ name: 'm-return', label: 'point of no return' }]),
  ]
  return `<div class="chart">${groups.join('')}${axis(scale)}</div>${legend([...items, ...marks])}`
}

function renderBar(
  stretches: readonly (Stretch & { leads?: boolean })[],
  scale: TimeScale,
  completed?: number,
): string {
  const x = (ms: number) => round(scale.percent(ms) * 10)
  const bars = stretches.map(({ from, to, look, version }) => {
    const width = round(Math.max(x(to) - x(from), 0.8))
    const title = `${LABELS[look]}, ${version}: ${formatSeconds(from)} to ${formatSeconds(Math.min(to, scale.end))}`
    return `<rect class="m-${look}" x="${x(from)}" y="2" width="${width}" height="12"><title>${escapeHtml(title)}</title></rect>`
  })
  const leading = stretches.flatMap((each) =>
    each.leads === true
      ? [
          `<rect class="m-leader" x="${x(each.from)}" y="15" width="${round(x(each.to) - x(each.from))}" height="2"/>`,
        ]
      : [],
  )
  const mark =
    completed === undefined
      ? ''
      : `<rect class="m-return" x="${round(x(completed) - 0.75)}" y="0" width="1.5" height="18"/>`
  return [...bars, ...leading, mark].join('')
}

/** What each server was, stretch by stretch, and whether it led then. */
function stretchesOf(history: History): ReadonlyMap<string, readonly (Stretch & { leads?: boolean })[]> {
  const rows = new Map<string, (Stretch & { leads?: boolean })[]>()
  const leaders = new Map<string, string | undefined>()
  const open = (id: string, at: number, look: Look | undefined, version: string) => {
    const row = rows.get(id) ?? []
    rows.set(id, row)
    const last = row.at(-1)
    if (last !== undefined) row[row.length - 1] = { ...last, to: at }
    if (look === undefined) return
    const leads = [...leaders.values()].includes(id)
    row.push({ from: at, to: Number.POSITIVE_INFINITY, look, version, leads })
  }
  const again = (id: string | undefined, at: number) => {
    const last = id === undefined ? undefined : rows.get(id)?.at(-1)
    if (id !== undefined && last !== undefined) open(id, at, last.look, last.version)
  }
  for (const each of history.records) {
    switch (each.kind) {
      case 'process': {
        const looks = {
          up: each.mode,
          resumed: each.mode,
          paused: 'paused',
          down: 'down',
          refused: 'down',
        } as const
        open(each.server, each.at, looks[each.state], each.version.text)
        break
      }
      case 'mode':
        open(each.server, each.at, each.mode, rows.get(each.server)?.at(-1)?.version ?? '')
        break
      case 'agent-mode':
        open(each.agent, each.at, each.mode, 'agent')
        break
      case 'leader': {
        const before = leaders.get(each.datacenter)
        leaders.set(each.datacenter, each.server)
        again(before, each.at)
        again(each.server, each.at)
        break
      }
      case 'reaped':
        open(each.server, each.at, undefined, '')
        break
    }
  }
  return new Map([...rows].map(([id, row]) => [id, row.filter(({ from, to }) => to > from)]))
}
