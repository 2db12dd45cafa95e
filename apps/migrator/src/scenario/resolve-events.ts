/** Resolves the events of a scenario: checks names and schedules, and converts times to milliseconds. */
import { InputError } from '../errors.ts'
import type { ScenarioEvent, ScenarioEventOf, ServerSpec } from './scenario.ts'
import type { EventInput } from './schema.ts'
import { versionOf } from './schema-parts.ts'
import { didYouMean, type Source } from './source.ts'
import { formatSeconds, toMs } from './time.ts'

interface Context {
  readonly servers: readonly ServerSpec[]
  readonly datacenters: ReadonlySet<string>
  readonly primary: string
  readonly source: Source
}

/**
 * Resolves the events and sorts them by time; events at the same time keep the order of the file. A pause or partition
 * with a duration becomes two events.
 *
 * @throws InputError for unknown names, and for impossible schedules, such as crashing a server that is down.
 */
export function resolveEvents(inputs: readonly EventInput[], context: Context): ScenarioEvent[] {
  const events = inputs.flatMap((input, i) => resolveEvent(input, i, context))
  events.sort((a, b) => a.atMs - b.atMs)
  refuseImpossible(events, context.servers)
  return events.map((event) => (event.kind === 'restore' ? findSnapshot(event, events, context) : event))
}

function resolveEvent(input: EventInput, i: number, context: Context): ScenarioEvent[] {
  const { servers, source } = context
  const at = { atMs: toMs(input.at), place: source.placeOf(['events', i]) }
  if (
    'server' in input &&
    input.server !== undefined &&
    !servers.some((server) => server.id === input.server)
  ) {
    throw source.refuse(
      ['events', i, 'server'],
      `there is no server ${input.server}${didYouMean(
        input.server,
        servers.map(({ id }) => id),
      )}`,
    )
  }
  switch (input.kind) {
    case 'crash':
    case 'leave':
    case 'force-leave':
    case 'join':
    case 'resume':
    case 'elect':
    case 'stale-gossip':
      return [{ ...at, kind: input.kind, server: input.server }]
    case 'pause': {
      const pause = { ...at, kind: input.kind, server: input.server }
      if (input.for === undefined) return [pause]
      return [pause, { ...pause, kind: 'resume', atMs: at.atMs + toMs(input.for) }]
    }
    case 'partition':
      return linksOf(input, i, context).flatMap((between): ScenarioEvent[] => {
        const partition = { ...at, kind: input.kind, between }
        if (input.for === undefined) return [partition]
        return [partition, { ...partition, kind: 'heal', atMs: at.atMs + toMs(input.for) }]
      })
    case 'heal':
      return linksOf(input, i, context).map((between) => ({ ...at, kind: input.kind, between }))
    case 'snapshot':
      return [{ ...at, kind: input.kind, server: input.server }]
    case 'start':
    case 'restart':
      return [
        {
          ...at,
          kind: input.kind,
          server: input.server,
          version: input.version === undefined ? undefined : versionOf(input.version),
          acls: input.acls,
          downtimeMs: 'downtime' in input && input.downtime !== undefined ? toMs(input.downtime) : 0,
        },
      ]
    case 'restore': {
      const { kind, snapshot, datacenter = context.primary, version } = input
      if (!context.datacenters.has(datacenter))
        throw source.refuse(
          ['events', i, 'datacenter'],
          `there is no datacenter ${datacenter}${didYouMean(datacenter, context.datacenters)}`,
        )
      return [
        {
          ...at,
          kind,
          datacenter,
          snapshotMs: snapshot === undefined ? Number.NaN : toMs(snapshot),
          version: version === undefined ? undefined : versionOf(version),
        },
      ]
    }
    case 'create-tokens': {
      const { kind, count = 1, type = 'client', rules, api = 'legacy', local = false } = input
      const { datacenter = context.primary } = input
      if (api === 'legacy' && (local || input.datacenter !== undefined)) {
        const field = local ? 'local' : 'datacenter'
        throw source.refuse(
          ['events', i, field],
          `${field} needs \`api: new\`: the legacy API has no such choice`,
        )
      }
      if (!context.datacenters.has(datacenter))
        throw source.refuse(
          ['events', i, 'datacenter'],
          `there is no datacenter ${datacenter}${didYouMean(datacenter, context.datacenters)}`,
        )
      return repeat(input, { ...at, kind, count, type, rules, api, isLocal: local, datacenter })
    }
    case 'edit-tokens':
    case 'delete-tokens': {
      const { kind, count = 1, offset = 0, state = 'any', type, api = 'legacy' } = input
      const { racing = false, becomes, sendsRules = false } = input.kind === 'edit-tokens' ? input : {}
      for (const [field, isGiven, needed] of [
        ['racing', racing, 'legacy'],
        ['becomes', becomes !== undefined, 'legacy'],
        ['sendsRules', sendsRules, 'new'],
      ] as const) {
        if (isGiven && api !== needed)
          throw source.refuse(['events', i, field], `${field} needs \`api: ${needed}\``)
      }
      return repeat(input, { ...at, kind, count, offset, state, racing, type, becomes, api, sendsRules })
    }
    case 'convert-tokens':
      return [{ ...at, kind: input.kind, count: input.count }]
    case 'edit-intention':
      return [{ ...at, kind: input.kind, destination: input.destination }]
  }
}

/** Resolves a restore, including the time of its snapshot. */
function findSnapshot(
  event: ScenarioEventOf<'restore'>,
  events: readonly ScenarioEvent[],
  { servers }: Context,
): ScenarioEvent {
  const { datacenter, atMs, place } = event
  const isOwn = (id: string | undefined) =>
    id === undefined || servers.some((server) => server.id === id && server.datacenter === datacenter)
  const snapshot = events.findLast(
    (each) =>
      each.kind === 'snapshot' &&
      isOwn(each.server) &&
      (Number.isNaN(event.snapshotMs) ? each.atMs <= atMs : each.atMs === event.snapshotMs),
  )
  if (snapshot !== undefined && snapshot.atMs <= atMs) return { ...event, snapshotMs: snapshot.atMs }
  const when = Number.isNaN(event.snapshotMs) ? 'before' : `at ${formatSeconds(event.snapshotMs)}`
  throw new InputError(
    `impossible schedule: restore at ${formatSeconds(atMs)}, but ${datacenter} has no snapshot ${when}; add a snapshot event`,
    { place },
  )
}

/** Expands an event to its repetitions. */
function repeat<E extends ScenarioEvent>(
  { every = 0, times = 1 }: { every?: number | string | undefined; times?: number | undefined },
  event: E,
): E[] {
  const everyMs = toMs(every)
  return Array.from({ length: times }, (_, n) => ({ ...event, atMs: event.atMs + n * everyMs }))
}

/** The links that a partition cuts: a single link, or all links of a datacenter. */
function linksOf(
  input: { between?: [string, string] | undefined; datacenter?: string | undefined },
  i: number,
  { datacenters, source }: Context,
): [string, string][] {
  const { between, datacenter } = input
  if ((between === undefined) === (datacenter === undefined)) {
    throw source.refuse(['events', i], 'give either between or datacenter')
  }
  const field = between === undefined ? 'datacenter' : 'between'
  for (const name of between ?? [datacenter ?? '']) {
    if (!datacenters.has(name))
      throw source.refuse(
        ['events', i, field],
        `there is no datacenter ${name}${didYouMean(name, datacenters)}`,
      )
  }
  if (between === undefined) {
    return [...datacenters].filter((each) => each !== datacenter).map((each) => [datacenter ?? '', each])
  }
  const [a, b] = between
  if (a === b) throw source.refuse(['events', i, field], 'a partition is between two datacenters')
  return [between]
}

type Life = 'not joined' | 'up' | 'paused' | 'failed' | 'left' | 'restarting'

/** The server states in which each event is possible, and the resulting state. */
const LIVES: Partial<
  Record<ScenarioEvent['kind'], { readonly needs: readonly Life[]; readonly becomes: Life }>
> = {
  crash: { needs: ['up', 'paused'], becomes: 'failed' },
  leave: { needs: ['up'], becomes: 'left' },
  'force-leave': { needs: ['failed', 'left'], becomes: 'left' },
  start: { needs: ['failed', 'left'], becomes: 'up' },
  restart: { needs: ['up', 'paused'], becomes: 'up' },
  join: { needs: ['not joined'], becomes: 'up' },
  pause: { needs: ['up'], becomes: 'paused' },
  resume: { needs: ['paused'], becomes: 'up' },
  elect: { needs: ['up'], becomes: 'up' },
}

function refuseImpossible(events: readonly ScenarioEvent[], servers: readonly ServerSpec[]): void {
  const lives = new Map<string, Life>(
    servers.map(({ id, joinsLater, status }) => [
      id,
      joinsLater ? 'not joined' : status === 'alive' ? 'up' : status,
    ]),
  )
  const upAgainAt = new Map<string, number>()
  for (const event of events) {
    if (!('server' in event) || event.server === undefined) continue
    const life = lives.get(event.server)
    const rule = LIVES[event.kind]
    if (life === undefined || rule === undefined) continue
    const down = event.atMs < (upAgainAt.get(event.server) ?? 0)
    if (down || !rule.needs.includes(life)) {
      throw new InputError(
        `impossible schedule: ${event.kind} at ${formatSeconds(event.atMs)}, but ${event.server} is ${down ? 'restarting' : life} then`,
        { place: event.place },
      )
    }
    lives.set(event.server, rule.becomes)
    if (event.kind === 'restart') upAgainAt.set(event.server, event.atMs + event.downtimeMs)
  }
  refuseEarlyEvents(events, servers)
}

/** Refuses events before a server's planned start: they would affect the old process, and the start would undo them. */
function refuseEarlyEvents(events: readonly ScenarioEvent[], servers: readonly ServerSpec[]): void {
  for (const event of events) {
    if (!('server' in event) || LIVES[event.kind] === undefined || event.kind === 'elect') continue
    const spec = servers.find((each) => each.id === event.server)
    if (spec !== undefined && event.atMs < spec.startMs) {
      throw new InputError(
        `impossible schedule: ${event.kind} at ${formatSeconds(event.atMs)}, before the start of ${spec.id} at ${formatSeconds(spec.startMs)}; leave out the start, and write an event for each step`,
        { place: event.place },
      )
    }
  }
}
