/** Turns a file that the schema has read into a {@link Scenario}: names, links, and rules across its parts. */
import { readLegacyRecord, type SeenIds } from '@latchkey/acl'
import { isBefore } from '@latchkey/contract'
import { NEW_ACLS } from '../version.ts'
import { resolveEvents } from './resolve-events.ts'
import {
  type DatacenterSpec,
  type IntentionSpec,
  linkKey,
  type Scenario,
  type ServerSpec,
  type TokenGroup,
  tokenCount,
  type WorkloadSpec,
} from './scenario.ts'
import { type AgentFile, agentSchema, type ScenarioFile, type ServerFile, serverSchema } from './schema.ts'
import { TOKENS_MAX } from './schema-parts.ts'
import { type Path, requireKnown, type Source } from './source.ts'

/** @throws InputError for unknown or repeated names, two leaders, and impossible events. */
export function resolveScenario(file: ScenarioFile, source: Source): Scenario {
  const datacenters = resolveDatacenters(file, source)
  const { name, model, seed, bootstrapped, defaultPolicy, connect } = file
  return {
    ...{ name, model, seed, bootstrapped, defaultPolicy, connect },
    durationMs: file.duration,
    gossipDelayMs: file.gossipDelay,
    gossipJitterMs: file.gossipJitter,
    failureDetectionMs: file.failureDetection,
    electionMs: file.electionTime,
    commitMs: file.commitTime,
    primary: datacenters[0]?.name ?? '',
    datacenters,
    linkDelayMs: resolveLinks(file, datacenters, source),
    tokens: resolveTokens(file.legacyTokens, source),
    intentions: resolveIntentions(file.intentions),
    workloads: resolveWorkloads(file, datacenters, source),
    events: resolveEvents(file.events, datacenters, source),
  }
}

function resolveLinks(
  { networkDelay, links }: ScenarioFile,
  datacenters: readonly DatacenterSpec[],
  source: Source,
): ReadonlyMap<string, number> {
  const delays = new Map<string, number>()
  const names = datacenters.map((each) => each.name)
  for (const [i, a] of names.entries()) {
    for (const b of names.slice(i + 1)) delays.set(linkKey(a, b), networkDelay)
  }
  for (const [i, { between, delay }] of links.entries()) {
    const key = linkKey(...between)
    if (!delays.has(key))
      throw source.refuse(['links', i, 'between'], 'these are not two datacenters of the scenario')
    delays.set(key, delay)
  }
  return delays
}

function resolveTokens(given: ScenarioFile['legacyTokens'], source: Source): TokenGroup[] {
  const seen = new Map<string, number>()
  const counts = typeof given === 'number' ? { client: given, management: 0 } : given
  const groups = Array.isArray(counts)
    ? counts.map(
        (group, position): TokenGroup =>
          'ID' in group ? resolveRecord(group, { position, seen }, source) : group,
      )
    : (['client', 'management'] as const).map((type) => ({ type, count: counts[type], unwritable: false }))
  if (tokenCount(groups) > TOKENS_MAX) {
    throw source.refuse(['legacyTokens'], `at most ${TOKENS_MAX} tokens, these are ${tokenCount(groups)}`)
  }
  return groups.filter((group) => group.count > 0)
}

/** A record of the legacy list. Its findings never quote the secret. */
function resolveRecord(
  record: object,
  context: { readonly position: number; readonly seen: SeenIds },
  source: Source,
): TokenGroup {
  const { token, findings } = readLegacyRecord(record, context)
  if (token !== undefined) {
    const { Type: type, Rules: rules, Name: name, ID: secret } = token
    return { type, count: 1, rules, unwritable: false, name, secret }
  }
  const fault = findings.find(({ severity }) => severity === 'error')
  const field = fault?.path.split('.').slice(1, 2) ?? []
  throw source.refuse(
    ['legacyTokens', context.position, ...field],
    `legacyTokens${fault?.message ?? ' is no legacy token'}`,
  )
}

function resolveIntentions(given: ScenarioFile['intentions']): readonly IntentionSpec[] {
  if (typeof given !== 'number') return given
  return Array.from({ length: given }, (_, i) => ({
    source: '*',
    destination: `service-${i + 1}`,
    namespace: 'default',
    sourceNamespace: 'default',
    hasMeta: false,
  }))
}

function resolveWorkloads(
  { workloads }: ScenarioFile,
  datacenters: readonly DatacenterSpec[],
  source: Source,
): WorkloadSpec[] {
  const names = datacenters.map((each) => each.name)
  const ids = datacenters.flatMap(({ servers }) => servers.map(({ id }) => id))
  return workloads.map((each, i) => {
    const { kind, endpoint, field, connections, agent, agents = agent === undefined ? [] : [agent] } = each
    const { datacenter = names[0], server } = each
    const path = ['workloads', i]
    requireKnown('datacenter', datacenter, names, [...path, 'datacenter'], source)
    requireKnown('server', server, ids, [...path, 'server'], source)
    for (const key of ['endpoint', 'field'] as const) {
      if (each[key] !== undefined && kind !== 'unknown-field')
        throw source.refuse([...path, key], 'only a workload of kind unknown-field has it')
    }
    if (each.to !== undefined && each.to <= each.from)
      throw source.refuse([...path, 'to'], 'ends before it begins')
    const own = datacenters.find((candidate) => candidate.name === datacenter)?.servers ?? []
    return {
      name: each.name ?? `${kind}-${i + 1}`,
      servers: server === undefined ? own.map(({ id }) => id) : [server],
      endpoint: endpoint?.replace(/^[A-Z]+ /, ''),
      ratePerSecond: each.rate,
      fromMs: each.from,
      toMs: each.to,
      ...{ kind, agents, field, connections },
    }
  })
}

function resolveDatacenters(file: ScenarioFile, source: Source): DatacenterSpec[] {
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

function listed<T>(
  given: number | readonly T[],
  prefix: string,
  create: (member: { id: string }) => T,
): readonly T[] {
  return typeof given === 'number'
    ? Array.from({ length: given }, (_, i) => create({ id: `${prefix}${i + 1}` }))
    : given
}

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
