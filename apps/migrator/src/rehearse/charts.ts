/** The charts of a rehearsal: the measurements, and the prediction of the simulation for the same schedule. */
import type { Chart, ClientTrack, Look, TokenPoint, Track } from '../report/chart/chart.ts'
import { BATCH, type Simulated } from './proof/measured.ts'
import type { Run, Seen } from './run.ts'
import { type LogLine, linesOf } from './server-process.ts'
import type { Step } from './steps/schedule.ts'
import type { ModeChange } from './watches.ts'

type Measurements = Pick<Seen, 'startedAt' | 'endedAt' | 'changes' | 'windows' | 'clients'> & {
  readonly log: readonly LogLine[]
}
interface TimedStep {
  readonly step: Step
  /** Milliseconds since the schedule began. */
  readonly at: number
}

/** The chart of a finished rehearsal, with the marks of its prediction. */
export function measuredChart(
  { scenario, done, book }: Run,
  { log, startedAt, endedAt, changes, windows, clients }: Measurements,
  { chart }: Simulated,
): Chart {
  const steps = done.map(({ step, at }) => ({ step, at: at - startedAt }))
  const tokens = chart.tokens[0]?.points[0]?.remaining ?? book.tokens.length
  const isError = (name: string, kind: string) =>
    chart.clients.find((each) => each.name === name)?.spans.some((span) => span.isError) ??
    kind !== 'config-reduced'
  const probes = new Map<string, ClientTrack['spans'][number][]>()
  for (const [kind, { first, last, count }] of Object.entries(clients.errors)) {
    const [client = kind] = kind.split(': ')
    const span = { from: first * 1_000, to: last * 1_000, count, isError: true }
    probes.set(client, [...(probes.get(client) ?? []), span])
  }
  return {
    tracks: scenario.datacenters.flatMap(({ servers }) =>
      servers.map((server) => trackOf(server, changes, steps)),
    ),
    tokens: tokens === 0 ? [] : [{ datacenter: scenario.primary, points: pointsOf(tokens, log, startedAt) }],
    clients: [
      ...[...windows].map(([name, outcomes]) => ({
        name,
        spans: [...outcomes].map(([kind, { first, last, count }]) => ({
          from: first,
          to: last,
          count,
          isError: isError(name, kind),
        })),
      })),
      ...[...probes].map(([name, spans]) => ({ name: `probe of the ${name}`, spans })),
    ],
    marks: chart.marks,
    busyUntil: Math.max(0, ...[...steps, ...changes].map(({ at }) => at)),
    end: Math.max(1_000, endedAt - startedAt),
  }
}

/** The look of a server after a step that stops or pauses it. */
const ENDS: Partial<Record<Step['kind'], Look>> = {
  crash: 'down',
  leave: 'down',
  restart: 'down',
  pause: 'paused',
}

function trackOf(
  { id, datacenter }: { readonly id: string; readonly datacenter: string },
  changes: readonly ModeChange[],
  steps: readonly TimedStep[],
): Track {
  const modes = changes
    .filter(({ server }) => server === id)
    .map(({ at, version, mode }) => ({ at, version, look: mode }))
  const others = steps.flatMap(({ step, at }) => {
    if (!('server' in step) || step.server !== id) return []
    // A server that resumes is in the mode that it had before the pause.
    if (step.kind === 'resume')
      return modes
        .filter((each) => each.at <= at)
        .slice(-1)
        .map((each) => ({ ...each, at }))
    const look = ENDS[step.kind]
    return look === undefined ? [] : [{ at, version: '', look }]
  })
  const all = [...modes, ...others].sort((a, b) => a.at - b.at)
  const stretches = all.map(({ at: from, look, version }, i) => ({
    from,
    to: all[i + 1]?.at,
    look,
    version,
    leads: false,
  }))
  const last = modes.at(-1)
  return { id, datacenter, isAgent: false, stretches, newModeAt: last?.look === 'new' ? last.at : undefined }
}

function pointsOf(tokens: number, log: readonly LogLine[], startedAt: number): TokenPoint[] {
  let remaining = tokens
  const batches = linesOf(log, BATCH).map((line) => {
    remaining = Math.max(0, remaining - Number(line.fields.tokens))
    return { at: line.at - startedAt, remaining }
  })
  return [{ at: 0, remaining: tokens }, ...batches]
}
