/** The way to a later version: the versions to stop at, and a schedule that replaces every server at each. Spec 9. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { InputError } from '../errors.ts'
import { modelOf } from '../output/result.ts'
import type { Scenario, ScenarioEvent } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import { simulate } from '../simulate/run.ts'
import { isAtLeast, LEGACY_REMOVED, NEW_ACLS, version } from '../version.ts'
import {
  afterwards,
  beforehand,
  conversion,
  oldestOf,
  type PlanStep,
  type StepFacts,
  type TimedStep,
} from './steps.ts'

export const LAST_WITH_LEGACY = version('1.10.12')

const INTERVAL_MS = 60_000
const DOWNTIME_MS = 5_000
const PAUSE_MS = 600_000

/**
 * Plans the route of a cluster. At each stop all servers are replaced one by one, the primary first and each
 * leader last; the next stop begins when the cluster has settled after the previous one. @param cluster its
 * `from` versions are the start of the route; its events are ignored. @param options.convert how many tokens with rules get policies at the stop; undefined
 * for all. @throws InputError if the cluster already runs the target or a later version.
 */
export function planRoute(
  cluster: Scenario,
  options: Pick<StepFacts, 'withRules' | 'unlinked'> & {
    readonly to: ServiceVersion
    readonly convert?: number
  },
) {
  const { to, convert, withRules, unlinked } = options
  const from = oldestOf(cluster)
  if (!isBefore(from, to)) {
    throw new InputError(`the servers already run ${from.text}: --to takes a later version`)
  }
  const hasTokens = withRules + unlinked > 0 || cluster.tokens.some(({ count }) => count > 0)
  const stops = stopsBetween({ from, to, hasTokens })
  let scenario = startOf(cluster, stops[0] ?? to)
  const steps = timed(beforehand(cluster), 'before', 0)
  let startMs = 0
  for (const [i, stop] of stops.entries()) {
    const restarts = replaceAll(scenario, stop, startMs)
    scenario = { ...scenario, events: [...scenario.events, ...restarts] }
    // Clients have no effect on the result, and would only prolong the simulation.
    const settledMs = simulate({ ...scenario, workloads: [] }, modelOf(scenario.model)).endedAt
    steps.push({
      kind: 'upgrade',
      text: `Replace every server with ${stop.text} one by one, the primary first and each leader last. Wait until each is back and there is a leader.`,
      when: 'at',
      at: toSeconds(startMs),
      parts: restarts.map((event) => ({ name: event.server, at: toSeconds(event.atMs) })),
    })
    steps.push({
      kind: 'wait',
      text: 'Wait until the cluster has settled: no mode, token or intention changes any more.',
      when: 'by',
      at: toSeconds(settledMs),
      parts: [],
    })
    if (i < stops.length - 1) {
      steps.push(...timed(conversion(options), 'after', settledMs))
      scenario = { ...scenario, events: [...scenario.events, ...convertAndSnapshot(settledMs, convert)] }
    }
    startMs = settledMs + PAUSE_MS
  }
  const crossesAcls = isBefore(from, NEW_ACLS) && isAtLeast(to, NEW_ACLS)
  steps.push(...timed(afterwards(cluster, crossesAcls), 'after', startMs - PAUSE_MS))
  return { scenario, steps }
}

function timed(steps: readonly PlanStep[], when: TimedStep['when'], atMs: number): TimedStep[] {
  return steps.map((step) => ({ ...step, when, at: toSeconds(atMs), parts: [] }))
}

export function stopsBetween({
  from,
  to,
  hasTokens,
}: {
  readonly from: ServiceVersion
  readonly to: ServiceVersion
  readonly hasTokens: boolean
}): ServiceVersion[] {
  const removesLegacy = isBefore(from, LEGACY_REMOVED) && isAtLeast(to, LEGACY_REMOVED)
  if (!removesLegacy || !(isBefore(from, NEW_ACLS) || hasTokens)) return [to]
  return [isBefore(from, LAST_WITH_LEGACY) ? LAST_WITH_LEGACY : from, to]
}

/** The cluster before the route: every server has long run its `from` version. Agents are upgraded once, after the first stop. */
function startOf(cluster: Scenario, agentVersion: ServiceVersion): Scenario {
  const servers = cluster.datacenters.flatMap((each) => each.servers)
  return {
    ...cluster,
    durationMs: undefined,
    events: [],
    datacenters: cluster.datacenters.map((datacenter) => ({
      ...datacenter,
      servers: datacenter.servers
        .filter(({ joinsLater }) => !joinsLater)
        .map((each) => ({ ...each, version: each.from, startMs: 0 })),
      agents: datacenter.agents.map((each) => ({
        ...each,
        version: agentVersion,
        startMs: servers.length * INTERVAL_MS,
      })),
    })),
  }
}

function replaceAll({ datacenters }: Scenario, to: ServiceVersion, startMs: number) {
  const inOrder = datacenters.flatMap(({ servers }) =>
    [
      ...servers.filter((each) => !each.isFirstLeader),
      ...servers.filter((each) => each.isFirstLeader),
    ].filter(({ status }) => status === 'alive'),
  )
  return inOrder.map(({ id, place }, i) => ({
    ...{ kind: 'restart' as const, server: id, version: to, acls: undefined, downtimeMs: DOWNTIME_MS, place },
    atMs: startMs + i * INTERVAL_MS,
  }))
}

function convertAndSnapshot(atMs: number, count: number | undefined): ScenarioEvent[] {
  return [
    { kind: 'convert-tokens', atMs: atMs + 1, count, place: {} },
    { kind: 'snapshot', atMs: atMs + 2, server: undefined, place: {} },
  ]
}
