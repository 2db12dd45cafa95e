/** The chart of a simulation. */
import { recordsOf } from '../../check/facts.ts'
import { counted } from '../../findings/finding.ts'
import type { Scenario, ScenarioEvent, ServerSpec } from '../../scenario/scenario.ts'
import type { History, HistoryRecord } from '../../simulate/history.ts'
import type { WorkloadTotals } from '../workloads.ts'
import type { Chart, ClientTrack, Mark } from './chart.ts'
import { tokenLinesOf } from './token-lines.ts'
import { tracksOf } from './tracks.ts'

/** Maximum number of marks; more would hide the bars. Server starts are left out first, because the bars show them. */
const MARKS_MAX = 24

/** Margin at the end, which makes the last change visible. */
const END_MARGIN = 1.05

export function chartOf(scenario: Scenario, history: History, totals: readonly WorkloadTotals[]): Chart {
  const busyUntil = history.records.findLast(isBusy)?.at ?? 0
  return {
    tracks: tracksOf(history),
    tokens: tokenLinesOf(history),
    clients: totals.map(clientTrackOf),
    marks: marksOf(scenario, history),
    busyUntil,
    end: Math.max(1_000, history.endedAt * END_MARGIN),
  }
}

const QUIET: ReadonlySet<HistoryRecord['kind']> = new Set(['batch', 'batch-failed', 'replicated'])

function isBusy({ kind }: HistoryRecord): boolean {
  return !QUIET.has(kind)
}

function clientTrackOf({ name, answers }: WorkloadTotals): ClientTrack {
  return {
    name,
    spans: answers.flatMap(({ spans, isError }) => spans.map((span) => ({ ...span, isError }))),
  }
}

/** When the leader of the primary leaves legacy mode. After this, no server can return to before 1.4.0. Spec 9.2.5. */
export function pointOfNoReturn(history: History): number | undefined {
  return recordsOf(history, 'mode').find(
    ({ mode, datacenter }) => mode === 'new' && datacenter === history.primary,
  )?.at
}

function marksOf(scenario: Scenario, history: History): Mark[] {
  const noReturn = pointOfNoReturn(history)
  const starts = scenario.datacenters.flatMap(({ servers }) => servers.flatMap(startMark))
  const others: Mark[] = [
    ...(noReturn === undefined
      ? []
      : [{ at: noReturn, kind: 'return' as const, text: 'point of no return' }]),
    ...scenario.events.flatMap((event) => eventMark(event) ?? []),
    ...recordsOf(history, 'intentions').flatMap(({ at, state, datacenter }) =>
      state === 'done'
        ? [{ at, kind: 'step' as const, text: `intentions of ${datacenter} are migrated` }]
        : [],
    ),
  ].filter(({ at }) => at <= history.endedAt)
  const shown =
    starts.length + others.length > MARKS_MAX ? others.slice(0, MARKS_MAX) : [...starts, ...others]
  return shown.sort((a, b) => a.at - b.at)
}

function startMark({ id, startMs, version, from, status, joinsLater }: ServerSpec): Mark[] {
  if (status !== 'alive' || joinsLater || version.text === from.text) return []
  return [{ at: startMs, kind: 'step', text: `${id} starts as ${version.text}` }]
}

function eventMark(event: ScenarioEvent): Mark | undefined {
  const mark = (kind: Mark['kind'], text: string): Mark => ({ at: event.atMs, kind, text })
  switch (event.kind) {
    case 'crash':
      return mark('harm', `${event.server} crashes`)
    case 'leave':
      return mark('step', `${event.server} leaves`)
    case 'force-leave':
      return mark('step', `${event.server} is forced to leave`)
    case 'join':
      return mark('step', `${event.server} joins`)
    case 'pause':
      return mark('harm', `${event.server} is paused`)
    case 'resume':
      return mark('step', `${event.server} resumes`)
    case 'elect':
      return mark('step', `${event.server} wins an election`)
    case 'stale-gossip':
      return mark('harm', `the other servers receive no further gossip from ${event.server}`)
    case 'start':
    case 'restart':
      return mark(
        'step',
        `${event.server} ${event.kind}s${event.version === undefined ? '' : ` as ${event.version.text}`}`,
      )
    case 'partition':
      return mark('harm', `${event.between.join(' and ')} cannot reach each other`)
    case 'heal':
      return mark('step', `${event.between.join(' and ')} reach each other again`)
    case 'snapshot':
      return mark('step', `${event.server ?? 'every server'} writes a snapshot`)
    case 'restore':
      return mark('step', `the snapshot is restored in ${event.datacenter}`)
    case 'create-tokens':
      return mark('step', `clients create ${counted(event.count, 'token')}`)
    case 'edit-tokens':
      return mark('step', `clients edit ${counted(event.count, 'token')}`)
    case 'delete-tokens':
      return mark('step', `clients delete ${counted(event.count, 'token')}`)
    case 'convert-tokens':
      return mark(
        'step',
        `${event.count === undefined ? 'all migrated tokens' : counted(event.count, 'token')} get policies instead of rules`,
      )
    case 'edit-intention':
      return mark('step', `a client edits the intentions of ${event.destination}`)
  }
}
