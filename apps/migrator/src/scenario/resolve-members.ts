/** Resolves datacenters, servers and agents of a scenario file: placement, leaders and versions. */
import { isBefore } from '@latchkey/contract'
import { NEW_ACLS } from '../version.ts'
import type { DatacenterSpec, ServerSpec } from './scenario.ts'
import { type AgentFile, agentSchema, type ScenarioFile, type ServerFile, serverSchema } from './schema.ts'
import { type Path, requireKnown, type Source } from './source.ts'

/** The datacenters, the primary first. */
export function resolveDatacenters(file: ScenarioFile, source: Source): DatacenterSpec[] {
  const primary = primaryOf(file, source)
  const names = file.datacenters.map(({ name }) => name)
  const twice = names.findIndex((name, i) => names.indexOf(name) < i)
  if (twice >= 0)
    throw source.refuse(['datacenters', twice, 'name'], `the datacenter ${names[twice]} is listed twice`)
  const topServers = listed(file.servers, 's', serverSchema.parse)
  const topAgents = listed(file.agents, 'a', agentSchema.parse)
  const ids = new Set<string>()
  const datacenters = file.datacenters.map((each, i): DatacenterSpec => {
    const { name, tokenReplication, replicationToken, localTokens } = each
    const ownServers = listed(each.servers, `${name}-s`, serverSchema.parse)
    const ownAgents = listed(each.agents, `${name}-a`, agentSchema.parse)
    const placedServers = placed(ownServers, topServers, { key: 'servers', names, i }, source)
    const agents = placed(ownAgents, topAgents, { key: 'agents', names, i }, source)
    if (placedServers.length === 0)
      throw source.refuse(['datacenters', i], `the datacenter ${name} has no server`)
    for (const { member, path } of [...placedServers, ...agents]) {
      if (ids.has(member.id)) throw source.refuse([...path, 'id'], `the id ${member.id} is used twice`)
      ids.add(member.id)
    }
    const servers = resolveServers(placedServers, name, file, source)
    if (localTokens > 0 && servers.every(({ from }) => isBefore(from, NEW_ACLS))) {
      throw source.refuse(['datacenters', i, 'localTokens'], 'before 1.4.0 there are no local tokens')
    }
    return {
      ...{ name, tokenReplication, replicationToken, localTokens, servers },
      isPrimary: name === primary,
      agents: agents.map(({ member: { id, version = file.version, start: startMs = 0 } }) => {
        return { id, datacenter: name, version, startMs }
      }),
    }
  })
  return datacenters.sort((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
}

function primaryOf({ datacenters, primary }: ScenarioFile, source: Source): string {
  const marked = datacenters.filter((each) => each.primary)
  if (marked.length > 1) throw source.refuse(['datacenters'], 'only one datacenter can be the primary')
  const name = primary ?? marked[0]?.name ?? datacenters[0]?.name ?? ''
  if (!datacenters.some((each) => each.name === name)) {
    throw source.refuse(['primary'], `there is no datacenter ${name}`)
  }
  if (marked[0] !== undefined && marked[0].name !== name) {
    throw source.refuse(['primary'], `${marked[0].name} is marked as the primary, not ${name}`)
  }
  return name
}

interface Placed<T> {
  readonly member: T
  readonly path: Path
}

/** The listed members; for a number, as many with generated ids. */
function listed<T>(
  given: number | readonly T[],
  prefix: string,
  create: (member: { id: string }) => T,
): readonly T[] {
  return typeof given === 'number'
    ? Array.from({ length: given }, (_, i) => create({ id: `${prefix}${i + 1}` }))
    : given
}

/** The members of datacenter `i`: its own, then those of the list at the top of the file. */
function placed<T extends AgentFile>(
  own: readonly T[],
  top: readonly T[],
  { key, names, i }: { readonly key: string; readonly names: readonly string[]; readonly i: number },
  source: Source,
): Placed<T>[] {
  const fromTop = top.flatMap((member, j): Placed<T>[] => {
    const path = [key, j]
    const datacenter = member.datacenter ?? (names.length === 1 ? names[0] : undefined)
    if (datacenter === undefined) throw source.refuse(path, 'datacenter is missing: there are several')
    requireKnown('datacenter', datacenter, names, [...path, 'datacenter'], source)
    return datacenter === names[i] ? [{ member, path }] : []
  })
  return [...own.map((member, j) => ({ member, path: ['datacenters', i, key, j] })), ...fromTop]
}

function resolveServers(
  placed: readonly Placed<ServerFile>[],
  datacenter: string,
  file: ScenarioFile,
  source: Source,
): ServerSpec[] {
  const joining = new Set(file.events.flatMap((event) => (event.kind === 'join' ? [event.server] : [])))
  const leaders = placed.filter(({ member }) => member.leader === true)
  const [, second] = leaders
  if (second !== undefined) throw source.refuse([...second.path, 'leader'], `${datacenter} has two leaders`)
  const isUp = ({ status, id }: ServerFile) => status === 'alive' && !joining.has(id)
  const first = leaders[0] ?? placed.find(({ member }) => isUp(member))
  return placed.map(({ member, path }) => {
    const { id, status, acls, start, version, from = file.from } = member
    const refuse = (field: keyof ServerFile, why: string) => source.refuse([...path, field], `${id} ${why}`)
    if (member.datacenter !== undefined && member.datacenter !== datacenter)
      throw refuse('datacenter', `is in the list of ${datacenter}`)
    if (joining.has(id) && start !== undefined)
      throw refuse('start', 'has a join event, so its start is the time of that event')
    if (status !== 'alive' && start !== undefined) throw refuse('start', `is ${status}: use a start event`)
    if (!isUp(member) && member.leader === true) throw refuse('leader', 'is not up at the beginning')
    return {
      ...{ id, datacenter, from, acls, status },
      version: version ?? (status === 'alive' ? file.version : from),
      startMs: start ?? 0,
      isFirstLeader: member === first?.member,
      joinsLater: joining.has(id),
      place: source.placeOf([...path, 'id']),
    }
  })
}
