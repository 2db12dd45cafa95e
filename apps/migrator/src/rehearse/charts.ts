/** The charts of a rehearsal: the measurements, and the prediction of the simulation for the same schedule. */
import type { Chart, ClientTrack, Mark, Stretch, TokenPoint, Track } from '../report/chart/chart.ts'
import { BATCH, type Simulated } from './proof/measured.ts'
import type { Run, Seen } from './run.ts'
import { type LogLine, linesOf } from './server-process.ts'
import type { Step } from './steps/schedule.ts'
import type { ModeChange } from './watches.ts'

/** The measurements of a rehearsal. Times are milliseconds since the schedule began. */
interface Observed {
  /** The primary, which assigns the accessors. */
  readonly datacenter: string
  readonly servers: readonly { readonly id: string; readonly datacenter: string }[]
  readonly changes: readonly ModeChange[]
  readonly steps: readonly { readonly step: Step; readonly at: number }[]
  readonly batches: readonly { readonly at: number; readonly tokens: number }[]
  /** Tokens without an accessor at the beginning. */
  readonly tokens: number
  /** The outcomes that clients of each workload saw. */
  readonly clients: Chart['clients']
  readonly endedAt: number
}

/** Collects the data of the charts from a finished rehearsal. */
export function observedOf(
  { scenario, done, book }: Run,
  seen: Pick<Seen, 'startedAt' | 'endedAt' | 'changes' | 'windows' | 'clients'> & {
    readonly log: readonly LogLine[]
  },
  simulated: Simulated,
): Observed {
  const { log, startedAt, endedAt, changes, windows, clients } = seen
  const isError = (name: string, kind: string) =>
    simulated.chart.clients.find((each) => each.name === name)?.spans.some((span) => span.isError) ??
    kind !== 'config-reduced'
  const probes = new Map<string, ClientTrack['spans'][number][]>()
  for (const [kind, { first, last, count }] of Object.entries(clients.errors)) {
    const [client = kind] = kind.split(': ')
    const span = { from: first * 1_000, to: last * 1_000, count, isError: true }
    probes.set(client, [...(probes.get(client) ?? []), span])
  }
  return {
    datacenter: scenario.primary,
    servers: scenario.datacenters.flatMap(({ servers }) => servers),
    changes,
    steps: done.map(({ step, at }) => ({ step, at: at - startedAt })),
    batches: linesOf(log, BATCH).map((line) => ({
      at: line.at - startedAt,
      tokens: Number(line.fields.tokens),
    })),
    tokens: simulated.chart.tokens[0]?.points[0]?.remaining ?? book.tokens.length,
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
    endedAt: endedAt - startedAt,
  }
}

/** The look of a server after a step that stops or pauses it. */
const ENDS = { crash: 'down', leave: 'down', restart: 'down', pause: 'paused' } as const

export function measuredChart(observed: Observed, marks: readonly Mark[]): Chart {
  const { datacenter, servers, steps, changes, endedAt, clients } = observed
  const busy = [...steps, ...changes].map(({ at }) => at)
  return {
    tracks: servers.map((server) => trackOf(server, observed)),
    tokens: observed.tokens === 0 ? [] : [{ datacenter, points: pointsOf(observed) }],
    clients,
    marks,
    busyUntil: Math.max(0, ...busy),
    end: Math.max(1_000, endedAt),
  }
}

function trackOf({ id, datacenter }: Observed['servers'][number], { changes, steps }: Observed): Track {
  const modes = changes
    .filter(({ server }) => server === id)
    .map(({ at, version, mode }) => ({ at, version, look: mode }))
  const ends = steps.flatMap(({ step, at }) => {
    if (!('server' in step) || step.server !== id || !(step.kind in ENDS)) return []
    return [{ at, version: '', look: ENDS[step.kind as keyof typeof ENDS] }]
  })
  // A server that resumes is in the mode that it had before the pause.
  const resumes = steps.flatMap(({ step, at }) => {
    if (step.kind !== 'resume' || step.server !== id) return []
    const before = modes.findLast((each) => each.at <= at)
    return before === undefined ? [] : [{ ...before, at }]
  })
  const all = [...modes, ...ends, ...resumes].sort((a, b) => a.at - b.at)
  const stretches: Stretch[] = all.map(({ at, version, look }, i) => ({
    from: at,
    to: all[i + 1]?.at,
    look,
    version,
    leads: false,
  }))
  const last = modes.at(-1)
  return {
    id,
    datacenter,
    isAgent: false,
    stretches,
    newModeAt: last?.look === 'new' ? last.at : undefined,
  }
}

function pointsOf({ tokens, batches }: Observed): TokenPoint[] {
  const points: TokenPoint[] = [{ at: 0, remaining: tokens }]
  for (const batch of batches) {
    const before = points.at(-1)?.remaining ?? 0
    points.push({ at: batch.at, remaining: Math.max(0, before - batch.tokens) })
  }
  return points
}
