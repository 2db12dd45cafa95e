/** Turns a file that the schema has read into a {@link Scenario}: names, links, and rules across its parts. */
import { readLegacyRecord, type SeenIds } from '@latchkey/acl'
import { resolveEvents } from './resolve-events.ts'
import { resolveDatacenters } from './resolve-members.ts'
import {
  type DatacenterSpec,
  type IntentionSpec,
  linkKey,
  type Scenario,
  type TokenGroup,
  tokenCount,
  type WorkloadSpec,
} from './scenario.ts'
import type { ScenarioFile } from './schema.ts'
import { TOKENS_MAX } from './schema-parts.ts'
import { requireKnown, type Source } from './source.ts'

/**
 * Resolves a file. @throws InputError for duplicate or unknown names, two primaries or leaders, and events
 * that are impossible for a server.
 */
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
