/** Resolves the events of a scenario: checks names and schedules, and expands repetitions, durations and links. */
import type { InputError } from '../errors.ts'
import type { DatacenterSpec, EventFile, ScenarioEvent, ScenarioEventOf, ServerSpec } from './scenario.ts'
import { impossible, requireKnown, type Source } from './source.ts'
import { formatSeconds } from './time.ts'

interface Context {
  readonly servers: readonly ServerSpec[]
  readonly datacenters: readonly string[]
  readonly source: Source
}

/** Sorts the events by time; a pause or partition with a duration becomes two. @throws InputError */
export function resolveEvents(
  inputs: readonly EventFile[],
  datacenters: readonly DatacenterSpec[],
  source: Source,
): ScenarioEvent[] {
  const servers = datacenters.flatMap((each) => each.servers)
  const context = { servers, datacenters: datacenters.map(({ name }) => name), source }
  const events = inputs.flatMap((input, i) => resolveEvent(input, i, context))
  events.sort((a, b) => a.atMs - b.atMs)
  refuseImpossible(events, servers)
  return events.map((event) => (event.kind === 'restore' ? findSnapshot(event, events, servers) : event))
}

function resolveEvent(input: EventFile, i: number, context: Context): ScenarioEvent[] {
  const { servers, datacenters, source } = context
  const path = ['events', i]
  if ('server' in input) {
    const ids = servers.map(({ id }) => id)
    requireKnown('server', input.server, ids, [...path, 'server'], source)
  }
  if ('datacenter' in input)
    requireKnown('datacenter', input.datacenter, datacenters, [...path, 'datacenter'], source)
  const { at: atMs, ...fields } = input
  const at = { atMs, place: source.placeOf(path) }
  const [primary = ''] = datacenters
  switch (fields.kind) {
    case 'pause': {
      const pause = { ...at, ...fields }
      return fields.for === undefined
        ? [pause]
        : [pause, { ...pause, kind: 'resume', atMs: atMs + fields.for }]
    }
    case 'partition':
    case 'heal':
      return linksOf(fields, i, context).flatMap((between): ScenarioEvent[] => {
        const event = { ...at, kind: fields.kind, between }
        if (!('for' in fields) || fields.for === undefined) return [event]
        return [event, { ...event, kind: 'heal', atMs: atMs + fields.for }]
      })
    case 'start':
      return [{ ...at, ...fields, downtimeMs: 0 }]
    case 'restart':
      return [{ ...at, ...fields, downtimeMs: fields.downtime }]
    case 'restore': {
      const { datacenter = primary, snapshot = Number.NaN } = fields
      return [{ ...at, ...fields, datacenter, snapshot }]
    }
    case 'create-tokens': {
      const wrong = fields.local ? 'local' : fields.datacenter === undefined ? undefined : 'datacenter'
      if (fields.api === 'legacy' && wrong !== undefined)
        throw source.refuse(
          [...path, wrong],
          `${wrong} needs \`api: new\`: the legacy API has no such choice`,
        )
      return repeat(fields, { ...at, ...fields, datacenter: fields.datacenter ?? primary })
    }
    case 'edit-tokens': {
      const { api, racing, becomes, rules, sendsRules } = fields
      const needs = { legacy: { racing, becomes, rules }, new: { sendsRules } }
      for (const [needed, options] of Object.entries(needs)) {
        const [field] =
          Object.entries(options).find(([, value]) => value !== undefined && value !== false) ?? []
        if (field !== undefined && api !== needed)
          throw source.refuse([...path, field], `${field} needs \`api: ${needed}\``)
      }
      return repeat(fields, { ...at, ...fields })
    }
    case 'delete-tokens':
      return repeat(fields, { ...at, ...fields })
    case 'convert-tokens':
      return [{ ...at, ...fields, count: fields.count }]
    default:
      return [{ ...at, ...fields }]
  }
}

function findSnapshot(
  event: ScenarioEventOf<'restore'>,
  events: readonly ScenarioEvent[],
  servers: readonly ServerSpec[],
): ScenarioEvent {
  const { datacenter, atMs, place, snapshot: given } = event
  const isOwn = (id: string | undefined) =>
    id === undefined || servers.some((server) => server.id === id && server.datacenter === datacenter)
  const snapshot = events.findLast(
    (each) =>
      each.kind === 'snapshot' &&
      isOwn(each.server) &&
      (Number.isNaN(given) ? each.atMs <= atMs : each.atMs === given),
  )
  if (snapshot !== undefined && snapshot.atMs <= atMs) return { ...event, snapshot: snapshot.atMs }
  const when = Number.isNaN(given) ? 'before' : `at ${formatSeconds(given)}`
  throw impossible('restore', atMs, `but ${datacenter} has no snapshot ${when}; add a snapshot event`, place)
}

function repeat<E extends ScenarioEvent>(
  { every, times }: { readonly every: number; readonly times: number },
  event: E,
): E[] {
  return Array.from({ length: times }, (_, n) => ({ ...event, atMs: event.atMs + n * every }))
}

function linksOf(
  { between, datacenter }: { between?: [string, string] | undefined; datacenter?: string | undefined },
  i: number,
  { datacenters, source }: Context,
): [string, string][] {
  if ((between === undefined) === (datacenter === undefined)) {
    throw source.refuse(['events', i], 'give either between or datacenter')
  }
  if (between === undefined) {
    return datacenters.filter((each) => each !== datacenter).map((each) => [datacenter ?? '', each])
  }
  const path = ['events', i, 'between']
  for (const name of between) requireKnown('datacenter', name, datacenters, path, source)
  if (between[0] === between[1]) throw source.refuse(path, 'a partition is between two datacenters')
  return [between]
}

type Life = 'not joined' | 'up' | 'paused' | 'failed' | 'left'

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

/** Refuses events that a server cannot do in its state then, or before its planned start. */
function refuseImpossible(events: readonly ScenarioEvent[], servers: readonly ServerSpec[]): void {
  const specs = new Map(servers.map((spec) => [spec.id, spec]))
  const lives = new Map<string, Life>()
  const upAgainAt = new Map<string, number>()
  const early: InputError[] = []
  for (const event of events) {
    const spec = 'server' in event ? specs.get(event.server ?? '') : undefined
    const rule = LIVES[event.kind]
    if (spec === undefined || rule === undefined) continue
    const first = spec.joinsLater ? 'not joined' : spec.status === 'alive' ? 'up' : spec.status
    const life = lives.get(spec.id) ?? first
    const isDown = event.atMs < (upAgainAt.get(spec.id) ?? 0)
    const refusal = (why: string) => impossible(event.kind, event.atMs, why, event.place)
    if (isDown || !rule.needs.includes(life))
      throw refusal(`but ${spec.id} is ${isDown ? 'restarting' : life} then`)
    if (event.kind !== 'elect' && event.atMs < spec.startMs)
      early.push(
        refusal(
          `before the start of ${spec.id} at ${formatSeconds(spec.startMs)}; leave out the start, and write an event for each step`,
        ),
      )
    lives.set(spec.id, rule.becomes)
    if (event.kind === 'restart') upAgainAt.set(spec.id, event.atMs + event.downtimeMs)
  }
  if (early[0] !== undefined) throw early[0]
}
