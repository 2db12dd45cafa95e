/** Turns a validated file into a {@link Scenario}: defaults, names, times, and rules across its parts. */
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
import type { ScenarioInput } from './schema.ts'
import { TOKENS_MAX, versionOf } from './schema-parts.ts'
import { didYouMean, type Source } from './source.ts'
import { toMs } from './time.ts'

/**
 * Resolves a file that has passed the schema.
 *
 * @throws InputError for duplicate or unknown names, two primaries or leaders, and events that are impossible for a
 * server.
 */
export function resolveScenario(input: ScenarioInput, source: Source): Scenario {
  const datacenters = resolveDatacenters(input, source)
  const servers = datacenters.flatMap((each) => each.servers)
  const primary = datacenters[0]?.name ?? ''
  const names = new Set(datacenters.map((each) => each.name))
  const tokens = resolveTokens(input, source)
  if (tokenCount(tokens) > TOKENS_MAX) {
    throw source.refuse(['legacyTokens'], `at most ${TOKENS_MAX} tokens, these are ${tokenCount(tokens)}`)
  }
  return {
    name: input.name ?? 'scenario',
    model: input.model ?? 'service',
    seed: input.seed ?? 1,
    durationMs: input.duration === undefined ? undefined : toMs(input.duration),
    gossipDelayMs: toMs(input.gossipDelay ?? 0),
    gossipJitterMs: toMs(input.gossipJitter ?? 0),
    failureDetectionMs: toMs(input.failureDetection ?? 0),
    electionMs: input.electionTime === undefined ? undefined : toMs(input.electionTime),
    commitMs: toMs(input.commitTime ?? 0),
    bootstrapped: input.bootstrapped,
    defaultPolicy: input.defaultPolicy ?? 'deny',
    connect: input.connect ?? true,
    primary,
    datacenters,
    linkDelayMs: resolveLinks(input, datacenters, source),
    tokens,
    intentions: resolveIntentions(input),
    workloads: resolveWorkloads(input, datacenters, source),
    events: resolveEvents(input.events ?? [], { servers, datacenters: names, primary, source }),
  }
}

function resolveLinks(
  input: ScenarioInput,
  datacenters: readonly DatacenterSpec[],
  source: Source,
): ReadonlyMap<string, number> {
  const delays = new Map<string, number>()
  const names = datacenters.map((each) => each.name)
  const usual = toMs(input.networkDelay ?? 0)
  for (const [i, a] of names.entries()) {
    for (const b of names.slice(i + 1)) delays.set(linkKey(a, b), usual)
  }
  for (const [i, link] of (input.links ?? []).entries()) {
    const key = linkKey(...link.between)
    if (!delays.has(key))
      throw source.refuse(['links', i, 'between'], 'these are not two datacenters of the scenario')
    delays.set(key, toMs(link.delay))
  }
  return delays
}

function resolveTokens(input: ScenarioInput, source: Source): TokenGroup[] {
  const given = input.legacyTokens
  const plain = (type: 'client' | 'management', count: number): TokenGroup[] =>
    count === 0 ? [] : [{ type, count, rules: undefined, unwritable: false }]
  if (given === undefined) return []
  if (typeof given === 'number') return plain('client', given)
  if (!Array.isArray(given))
    return [...plain('client', given.client ?? 0), ...plain('management', given.management ?? 0)]
  const seen = new Map<string, number>()
  return given
    .map((group, position): TokenGroup => {
      if ('ID' in group) return resolveRecord(group, { position, seen }, source)
      return {
        type: group.type ?? 'client',
        count: group.count ?? 1,
        rules: group.rules,
        unwritable: group.unwritable ?? false,
        ...(group.name === undefined ? {} : { name: group.name }),
      }
    })
    .filter((group) => group.count > 0)
}

/** A record of the legacy list. Its findings never quote the secret. */
function resolveRecord(
  record: object,
  context: { readonly position: number; readonly seen: SeenIds },
  source: Source,
): TokenGroup {
  const { token, findings } = readLegacyRecord(record, context)
  if (token !== undefined)
    return {
      type: token.Type,
      count: 1,
      rules: token.Rules,
      unwritable: false,
      name: token.Name,
      secret: token.ID,
    }
  const [fault] = findings.filter(({ severity }) => severity === 'error')
  const field = fault?.path.split('.')[1]
  const path = ['legacyTokens', context.position]
  throw source.refuse(
    field === undefined ? path : [...path, field],
    `legacyTokens${fault?.message ?? ' is no legacy token'}`,
  )
}

function resolveIntentions(input: ScenarioInput): IntentionSpec[] {
  const given = input.intentions ?? 0
  if (typeof given === 'number') {
    return Array.from({ length: given }, (_, i) => ({
      source: '*',
      destination: `service-${i + 1}`,
      namespace: 'default',
      sourceNamespace: 'default',
      hasMeta: false,
    }))
  }
  return given.map((each) => ({
    source: each.source,
    destination: each.destination,
    namespace: each.namespace ?? 'default',
    sourceNamespace: each.sourceNamespace ?? 'default',
    hasMeta: each.meta ?? false,
  }))
}

function resolveWorkloads(
  input: ScenarioInput,
  datacenters: readonly DatacenterSpec[],
  source: Source,
): WorkloadSpec[] {
  const names = datacenters.map(({ name }) => name)
  return (input.workloads ?? []).map((each, i) => {
    const path = ['workloads', i]
    const datacenter =
      each.datacenter === undefined
        ? datacenters[0]
        : datacenters.find((candidate) => candidate.name === each.datacenter)
    if (datacenter === undefined)
      throw source.refuse(
        [...path, 'datacenter'],
        `there is no datacenter ${each.datacenter}${didYouMean(each.datacenter ?? '', names)}`,
      )
    const ids = datacenters.flatMap((candidate) => candidate.servers.map(({ id }) => id))
    if (each.server !== undefined && !ids.includes(each.server)) {
      throw source.refuse(
        [...path, 'server'],
        `there is no server ${each.server}${didYouMean(each.server, ids)}`,
      )
    }
    for (const field of ['endpoint', 'field'] as const) {
      if (each[field] !== undefined && each.kind !== 'unknown-field')
        throw source.refuse([...path, field], 'only a workload of kind unknown-field has it')
    }
    const fromMs = toMs(each.from ?? 0)
    const untilMs = each.to === undefined ? undefined : toMs(each.to)
    if (untilMs !== undefined && untilMs <= fromMs)
      throw source.refuse([...path, 'to'], 'ends before it begins')
    return {
      name: each.name ?? `${each.kind}-${i + 1}`,
      kind: each.kind,
      servers: each.server === undefined ? datacenter.servers.map((server) => server.id) : [each.server],
      agents: (each.agents ?? (each.agent === undefined ? [] : [each.agent])).map(versionOf),
      endpoint: each.endpoint?.replace(/^[A-Z]+ /, ''),
      field: each.field,
      ratePerSecond: each.rate ?? 1,
      fromMs,
      toMs: untilMs,
      connections: each.connections ?? 1,
    }
  })
}
