/** The chart of a simulation. */
import { recordsOf } from '../../check/facts.ts'
import { timelineOf } from '../../output/timeline.ts'
import type { History, HistoryRecord } from '../../simulate/history.ts'
import { size } from '../../simulate/tokens/ranges.ts'
import type { WorkloadTotals } from '../workloads.ts'
import type { Chart, ClientTrack, Look, Mark, Stretch, TokenLine, TokenPoint, Track } from './chart.ts'

/** Maximum number of marks; more would hide the bars. Server starts are left out first, because the bars show them. */
const MARKS_MAX = 24

/** Margin at the end, which makes the last change visible. */
const END_MARGIN = 1.05

export function chartOf(history: History, totals: readonly WorkloadTotals[]): Chart {
  const busyUntil = history.records.findLast(isBusy)?.at ?? 0
  return {
    tracks: tracksOf(history),
    tokens: tokenLinesOf(history),
    clients: totals.map(clientTrackOf),
    marks: marksOf(history),
    busyUntil,
    end: Math.max(1_000, history.endedAt * END_MARGIN),
  }
}

const QUIET: ReadonlySet<HistoryRecord['kind']> = new Set(['batch', 'batch-failed', 'replicated'])

function isBusy({ kind }: HistoryRecord): boolean {
  return !QUIET.has(kind)
}

function clientTrackOf({ name, answers }: WorkloadTotals): ClientTrack {
  return { name, spans: answers.flatMap(({ spans, isError }) => spans.map((span) => ({ ...span, isError }))) }
}

/** When the leader of the primary leaves legacy mode. After this, no server can return to before 1.4.0. Spec 9.2.5. */
export function pointOfNoReturn(history: History): number | undefined {
  return recordsOf(history, 'mode').find(
    ({ mode, datacenter }) => mode === 'new' && datacenter === history.primary,
  )?.at
}

/** Events that harm, and steps of an operator or a client, by kind in the timeline. */
const HARMS = 'seen-failed pause partition stale-gossip leader-lost start-refused batch-failed'.split(' ')
const STEPS = 'resume heal snapshot restore intentions-done intention-edited'.split(' ')

function marksOf(history: History): Mark[] {
  const noReturn = pointOfNoReturn(history)
  const marks = timelineOf(history).flatMap(({ at, kind, server, datacenter, detail }): Mark[] => {
    const isStart = kind === 'start' && !detail.includes('as before the upgrade')
    const isStep = isStart || STEPS.includes(kind) || /^(new-)?tokens/.test(kind)
    const isHarm = HARMS.includes(kind)
    if (!isStep && !isHarm) return []
    const where = server ?? datacenter
    const text = where === undefined ? detail : `${where}: ${detail}`
    return [{ at: at * 1_000, kind: isHarm ? 'harm' : 'step', text, isStart }]
  })
  const shown = marks.length > MARKS_MAX ? marks.filter(({ isStart }) => !isStart) : marks
  const last: Mark[] =
    noReturn === undefined ? [] : [{ at: noReturn, kind: 'return', text: 'point of no return' }]
  return [...shown.slice(0, MARKS_MAX), ...last].sort((a, b) => a.at - b.at)
}

function tracksOf(history: History): Track[] {
  const stretches = stretchesOf(history)
  return history.members.map(({ id, datacenter, isAgent, newModeAt }) => ({
    id,
    datacenter,
    isAgent,
    newModeAt,
    stretches: stretches.get(id) ?? [],
  }))
}

const PROCESS_LOOKS = { paused: 'paused', down: 'down', refused: 'down' } as const

function stretchesOf({ records }: History): ReadonlyMap<string, readonly Stretch[]> {
  const rows = new Map<string, Stretch[]>()
  const leaders = new Map<string, string | undefined>()
  const open = (id: string, at: number, look: Look | undefined, version: string) => {
    const row = rows.get(id) ?? []
    rows.set(id, row)
    const last = row.at(-1)
    if (last !== undefined) row[row.length - 1] = { ...last, to: at }
    if (look === undefined) return
    row.push({ from: at, to: undefined, look, version, leads: [...leaders.values()].includes(id) })
  }
  const reopen = (id: string | undefined, at: number) => {
    const last = id === undefined ? undefined : rows.get(id)?.at(-1)
    if (id !== undefined && last !== undefined) open(id, at, last.look, last.version)
  }
  for (const each of records) {
    switch (each.kind) {
      case 'process': {
        const look = each.state === 'up' || each.state === 'resumed' ? each.mode : PROCESS_LOOKS[each.state]
        open(each.server, each.at, look, each.version.text)
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
        reopen(before, each.at)
        reopen(each.server, each.at)
        break
      }
      case 'reaped':
        open(each.server, each.at, undefined, '')
        break
    }
  }
  return new Map(
    [...rows].map(([id, row]) => [id, row.filter(({ from, to }) => to === undefined || to > from)]),
  )
}

/** Maximum number of points per line; a migration may have a hundred thousand batches. */
const POINTS_MAX = 400

/** One line per datacenter that ever has a token without an accessor. */
function tokenLinesOf(history: History): TokenLine[] {
  return history.datacenters.flatMap((datacenter) => {
    const points =
      datacenter === history.primary ? primaryPoints(history) : secondaryPoints(history, datacenter)
    return points.length === 0 ? [] : [{ datacenter, points: thin(points) }]
  })
}

function primaryPoints(history: History): TokenPoint[] {
  const points = [{ at: 0, remaining: history.tokensAtStart }]
  for (const each of history.records) {
    const before = points.at(-1)?.remaining ?? 0
    if (each.kind === 'batch' && each.datacenter === history.primary)
      points.push({ at: each.at, remaining: each.remaining })
    if (each.kind === 'restored' && each.datacenter === history.primary)
      points.push({ at: each.at, remaining: each.unmigrated })
    if (each.kind === 'tokens' && each.refused === undefined) {
      if (each.action === 'created') points.push({ at: each.at, remaining: before + each.unmigrated })
      if (each.action === 'deleted') points.push({ at: each.at, remaining: before - each.unmigrated })
    }
  }
  return history.tokensAtStart === 0 && points.length === 1 ? [] : points
}

/** Tokens without an accessor in a secondary: all tokens of the primary minus those whose accessor has been replicated. */
function secondaryPoints(history: History, datacenter: string): TokenPoint[] {
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
