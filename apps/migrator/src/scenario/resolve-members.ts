/** Resolves datacenters, servers and agents of a scenario file: placement, leaders and versions. */
import { isBefore } from '@latchkey/contract'
import { NEW_ACLS } from '../version.ts'
import type { AgentSpec, DatacenterSpec, ServerSpec } from './scenario.ts'
import type { AgentInput, ScenarioInput, ServerInput } from './schema.ts'
import { versionOf } from './schema-parts.ts'
import type { Path, Source } from './source.ts'
import { toMs } from './time.ts'

const FROM_DEFAULT = '1.3.1'
const VERSION_DEFAULT = '1.4.0'

/** The datacenters, the primary first. */
export function resolveDatacenters(input: ScenarioInput, source: Source): DatacenterSpec[] {
  const primary = primaryOf(input, source)
  const seen = new Set<string>()
  const ids = new Set<string>()
  const claim = (id: string, path: Path) => {
    if (ids.has(id)) throw source.refuse(path, `the id ${id} is used twice`)
    ids.add(id)
  }
  for (const [i, each] of input.datacenters.entries()) {
    if (seen.has(each.name))
      throw source.refuse(['datacenters', i, 'name'], `the datacenter ${each.name} is listed twice`)
    seen.add(each.name)
  }
  const resolved = input.datacenters.map((each, i): DatacenterSpec => {
    const own = listed(each.servers, `${each.name}-s`).map((server, j) => ({
      server,
      path: ['datacenters', i, 'servers', j],
    }))
    const everywhere = listed(input.servers, 's')
    const placed = [...own, ...membersOf(everywhere, 'servers', each.name, input, seen, source)]
    const ownAgents = listed(each.agents, `${each.name}-a`).map((server, j) => ({
      server,
      path: ['datacenters', i, 'agents', j],
    }))
    const agentsEverywhere = listed(input.agents, 'a')
    const agents = [...ownAgents, ...membersOf(agentsEverywhere, 'agents', each.name, input, seen, source)]
    if (placed.length === 0)
      throw source.refuse(['datacenters', i], `the datacenter ${each.name} has no server`)
    for (const { server, path } of [...placed, ...agents]) claim(server.id, [...path, 'id'])
    const servers = resolveServers(placed, each.name, input, source)
    if (each.localTokens && servers.every(({ from }) => isBefore(from, NEW_ACLS))) {
      throw source.refuse(['datacenters', i, 'localTokens'], 'before 1.4.0 there are no local tokens')
    }
    return {
      name: each.name,
      isPrimary: each.name === primary,
      tokenReplication: each.tokenReplication ?? true,
      replicationToken: each.replicationToken ?? 'write',
      localTokens: each.localTokens ?? 0,
      servers,
      agents: agents.map(({ server }) => resolveAgent(server, each.name, input)),
    }
  })
  return resolved.sort((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
}

function primaryOf(input: ScenarioInput, source: Source): string {
  const marked = input.datacenters.filter((each) => each.primary === true)
  if (marked.length > 1) throw source.refuse(['datacenters'], 'only one datacenter can be the primary')
  const name = input.primary ?? marked[0]?.name ?? input.datacenters[0]?.name ?? ''
  if (!input.datacenters.some((each) => each.name === name)) {
    throw source.refuse(['primary'], `there is no datacenter ${name}`)
  }
  if (marked[0] !== undefined && marked[0].name !== name) {
    throw source.refuse(['primary'], `${marked[0].name} is marked as the primary, not ${name}`)
  }
  return name
}

/** The listed members; for a number, as many members with generated ids. */
function listed<T extends AgentInput>(
  given: number | readonly T[] | undefined,
  prefix: string,
): readonly (T | AgentInput)[] {
  if (typeof given !== 'number') return given ?? []
  return Array.from({ length: given }, (_, i) => ({ id: `${prefix}${i + 1}` }))
}

interface Placed<T> {
  readonly server: T
  readonly path: Path
}

/** Members of one datacenter from a list at the top of the file. */
function membersOf<T extends { datacenter?: string | undefined }>(
  list: readonly T[],
  key: 'servers' | 'agents',
  datacenter: string,
  input: ScenarioInput,
  known: ReadonlySet<string>,
  source: Source,
): Placed<T>[] {
  return list.flatMap((server, j) => {
    const name =
      server.datacenter ?? (input.datacenters.length === 1 ? input.datacenters[0]?.name : undefined)
    if (name === undefined) throw source.refuse([key, j], 'datacenter is missing: there are several')
    if (!known.has(name)) throw source.refuse([key, j, 'datacenter'], `there is no datacenter ${name}`)
    return name === datacenter ? [{ server, path: [key, j] }] : []
  })
}

function resolveServers(
  placed: readonly Placed<ServerInput>[],
  datacenter: string,
  input: ScenarioInput,
  source: Source,
): ServerSpec[] {
  const joining = new Set(
    (input.events ?? []).flatMap((event) => (event.kind === 'join' ? [event.server] : [])),
  )
  const leaders = placed.filter(({ server }) => server.leader === true)
  const [, second] = leaders
  if (second !== undefined) throw source.refuse([...second.path, 'leader'], `${datacenter} has two leaders`)
  const first =
    leaders[0] ??
    placed.find(({ server }) => (server.status ?? 'alive') === 'alive' && !joining.has(server.id))
  return placed.map(({ server, path }) => {
    const status = server.status ?? 'alive'
    const joinsLater = joining.has(server.id)
    if (server.datacenter !== undefined && server.datacenter !== datacenter) {
      throw source.refuse([...path, 'datacenter'], `${server.id} is in the list of ${datacenter}`)
    }
    if (joinsLater && server.start !== undefined) {
      throw source.refuse(
        [...path, 'start'],
        `${server.id} has a join event, so its start is the time of that event`,
      )
    }
    if (status !== 'alive' && server.start !== undefined) {
      throw source.refuse([...path, 'start'], `${server.id} is ${status}: use a start event`)
    }
    if ((joinsLater || status !== 'alive') && server.leader === true) {
      throw source.refuse([...path, 'leader'], `${server.id} is not up at the beginning`)
    }
    const from = versionOf(server.from ?? input.from ?? FROM_DEFAULT)
    const dead =
      status !== 'alive' ? (server.version ?? server.from ?? input.from ?? FROM_DEFAULT) : undefined
    return {
      id: server.id,
      datacenter,
      version: versionOf(dead ?? server.version ?? input.version ?? VERSION_DEFAULT),
      from,
      startMs: toMs(server.start ?? 0),
      acls: server.acls ?? true,
      isFirstLeader: server === first?.server,
      status,
      joinsLater,
      place: source.placeOf([...path, 'id']),
    }
  })
}

function resolveAgent(agent: AgentInput, datacenter: string, input: ScenarioInput): AgentSpec {
  return {
    id: agent.id,
    datacenter,
    version: versionOf(agent.version ?? input.version ?? VERSION_DEFAULT),
    startMs: toMs(agent.start ?? 0),
  }
}
