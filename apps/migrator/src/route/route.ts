/** A route from any version to any later one: the stops in between, and a simulation from end to end. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { InputError } from '../errors.ts'
import { modelOf, runSimulation, type Simulation } from '../output/run-simulation.ts'
import { oldestOf } from '../plan/steps.ts'
import type { Scenario, ScenarioEvent } from '../scenario/scenario.ts'
import { toSeconds } from '../scenario/time.ts'
import { simulate } from '../simulate/run.ts'
import { canStart } from '../way-back/way-back.ts'
import { type Stop, stopsBetween } from './stops.ts'

interface Leg {
  readonly version: string
  /** When its first server is replaced. */
  readonly startAt: number
  /** When the cluster has settled: no mode, token or intention changes any more. */
  readonly settledAt: number
  /** Steps for the operator at the end of the leg, before the next one. */
  readonly before: readonly string[]
}

export interface RouteResult {
  readonly from: string
  readonly to: string
  /** Times are seconds from the start of the route. */
  readonly legs: readonly Leg[]
  readonly simulation: Simulation['result']
}

interface RouteOptions {
  readonly to: ServiceVersion
  /** Time between the replacements of two servers. */
  readonly intervalMs: number
  /** Downtime of a server during its replacement. */
  readonly downtimeMs: number
  /** Time at a stop, after the cluster has settled. */
  readonly pauseMs: number
  /** Number of client tokens with rules in the dump; undefined to count the tokens of the scenario. */
  readonly withRules: number | undefined
}

export interface Route {
  readonly result: Omit<RouteResult, 'simulation'>
  /** The whole route, as a scenario. */
  readonly scenario: Scenario
}

/**
 * Plans the route of a cluster. Each leg replaces all servers one by one, the primary first and each leader last, and
 * begins when the cluster has settled after the previous leg.
 *
 * @param cluster its `from` versions are the start of the route; its events are ignored.
 * @throws InputError if the cluster already runs the target or a later version.
 */
export function planRoute(cluster: Scenario, options: RouteOptions): Route {
  const from = oldestOf(cluster)
  if (!isBefore(from, options.to)) {
    const back = isBefore(options.to, from) ? `; ${wayDown(cluster, options)}` : ''
    throw new InputError(
      `a route is an upgrade, and the servers already run ${from.text}: --to takes a later version${back}`,
    )
  }
  const stops = stopsBetween({
    from,
    to: options.to,
    tokens: countOf(cluster, () => true),
    withRules: options.withRules ?? countOf(cluster, ({ type, rules }) => type === 'client' && rules !== ''),
    intentions: cluster.intentions.length,
    datacenters: cluster.datacenters.length,
  })
  let scenario = startOf(cluster, stops[0]?.version ?? options.to, options)
  let startMs = 0
  const legs = stops.map((stop): Leg => {
    scenario = {
      ...scenario,
      events: [...scenario.events, ...replaceAll(scenario, stop, { ...options, startMs })],
    }
    const settledMs = settle(scenario)
    const leg = {
      version: stop.version.text,
      startAt: toSeconds(startMs),
      settledAt: toSeconds(settledMs),
      before: stop.before,
    }
    if (stop.before.length > 0) scenario = { ...scenario, events: [...scenario.events, ...atStop(settledMs)] }
    startMs = settledMs + options.pauseMs
    return leg
  })
  return { result: { from: from.text, to: options.to.text, legs }, scenario }
}

/** Says whether and how the servers can return to an earlier version, by simulating it. Spec 9.2.5. */
function wayDown(cluster: Scenario, options: RouteOptions): string {
  const { to } = options
  const running = startOf(cluster, to, options)
  const atMs = settle(running)
  const servers = running.datacenters.flatMap((each) => each.servers)
  return servers.every((server) => canStart(running, server, { version: to, atMs }))
    ? `going back to ${to.text} is possible: restart the servers as ${to.text}, one by one`
    : `going back to ${to.text} requires a snapshot from before the upgrade: servers of ${to.text} do not start on this data`
}

/** Simulates a route from end to end. */
export function runRoute(
  { result, scenario }: Route,
  options: Parameters<typeof runSimulation>[1],
): { readonly result: RouteResult; readonly simulation: Simulation } {
  const simulation = runSimulation(scenario, options)
  return { result: { ...result, simulation: simulation.result }, simulation }
}

/** The cluster before the route: every server has long run its `from` version. Agents are upgraded once, at the end. */
function startOf(cluster: Scenario, agentVersion: ServiceVersion, { intervalMs }: RouteOptions): Scenario {
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
        startMs: servers.length * intervalMs,
      })),
    })),
  }
}

function replaceAll(
  { datacenters }: Scenario,
  { version }: Stop,
  { startMs, intervalMs, downtimeMs }: RouteOptions & { readonly startMs: number },
): ScenarioEvent[] {
  const inOrder = datacenters.flatMap(({ servers }) =>
    [
      ...servers.filter((each) => !each.isFirstLeader),
      ...servers.filter((each) => each.isFirstLeader),
    ].filter(({ status }) => status === 'alive'),
  )
  return inOrder.map(({ id, place }, i) => ({
    ...{ kind: 'restart', server: id, version, acls: undefined, downtimeMs, place },
    atMs: startMs + i * intervalMs,
  }))
}

/** The operator's actions at a stop: converts the tokens with rules, and forces snapshots. */
function atStop(atMs: number): ScenarioEvent[] {
  return [
    { kind: 'convert-tokens', atMs: atMs + 1, count: undefined, place: {} },
    { kind: 'snapshot', atMs: atMs + 2, server: undefined, place: {} },
  ]
}

function settle(scenario: Scenario): number {
  // Clients have no effect on the result, and would only prolong the simulation.
  return simulate({ ...scenario, workloads: [] }, modelOf(scenario.model)).endedAt
}

function countOf({ tokens }: Scenario, matches: (group: Scenario['tokens'][number]) => boolean): number {
  return tokens.filter(matches).reduce((sum, { count }) => sum + count, 0)
}
