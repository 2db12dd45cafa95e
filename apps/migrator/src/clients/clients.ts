/** What the workloads of a scenario see, counted call by call without making one. */
import { profileOf, type ServiceVersion } from '@latchkey/contract'
import { linkKey, type Scenario, type WorkloadSpec } from '../scenario/scenario.ts'
import type { History } from '../simulate/history.ts'
import { type ClusterState, clusterStates } from './cluster-states.ts'
import { type CallContext, type CallKind, callsOf, outcomeOf, refusedConnection } from './outcome.ts'
import { countIndexDecreases, createIndexWatch } from './service-index.ts'
import { type ClientErrors, Tally } from './tally.ts'

/** One of the streams that a workload falls apart into: always the same server, agent and call. */
interface Stream {
  readonly server: string
  readonly agent: ServiceVersion | undefined
  readonly call: CallKind
  /** Destination of the intention that it writes, where it writes one. */
  readonly destination: string | undefined
  /** Calls are numbered through the workload; this stream has every `period`-th from `offset` on. */
  readonly offset: number
  readonly period: number
}

/** Most destinations that a workload of intention writes takes in turn. */
const DESTINATIONS_MAX = 50

/** Errors and oddities by kind, in order of first sight. */
export function countClients(scenario: Scenario, history: History): ReadonlyMap<string, ClientErrors> {
  const tally = new Tally()
  const workloads = scenario.workloads.map((workload) => ({
    workload,
    streams: streamsOf(workload, scenario),
    watch: createIndexWatch(),
  }))
  for (const state of clusterStates(history)) {
    for (const { workload, streams, watch } of workloads) {
      const from = Math.max(state.from, workload.fromMs)
      const to = Math.min(state.to, workload.toMs ?? history.endedAt)
      if (to <= from) continue
      countConnections(tally, workload, state, from)
      if (workload.kind === 'service-watch')
        countIndexDecreases(tally, workload, streams, state, watch, { from, to })
      for (const stream of streams) countStream(tally, scenario, workload, stream, state, { from, to })
    }
  }
  return tally.result()
}

/** Call `k` goes to server `k`, then agent, call and destination change in turn, so that all pairs occur. */
function streamsOf({ kind, servers, agents }: WorkloadSpec, scenario: Scenario): Stream[] {
  const isWrite = kind === 'intention-write'
  const destinations = isWrite
    ? [...new Set(scenario.intentions.map((each) => each.destination))].slice(0, DESTINATIONS_MAX)
    : []
  const combinations = (destinations.length === 0 ? [undefined] : destinations).flatMap((destination) =>
    callsOf(kind).flatMap((call) =>
      (agents.length === 0 ? [undefined] : agents).flatMap((agent) =>
        servers.map((server) => ({ server, agent, call, destination })),
      ),
    ),
  )
  return combinations.map((each, offset) => ({ ...each, offset, period: combinations.length }))
}

/** The calls of a stream in a stretch of time: how many, the first and the last. */
export function callsIn(
  { fromMs, ratePerSecond }: WorkloadSpec,
  { offset, period }: { readonly offset: number; readonly period: number },
  { from, to }: { readonly from: number; readonly to: number },
): { readonly first: number; readonly last: number; readonly count: number } {
  const gap = 1_000 / ratePerSecond
  // Half a microsecond of slack keeps a call on the border of two stretches in one of them.
  const numberAt = (time: number) => Math.ceil(((time - fromMs) / gap - offset) / period - 5e-7)
  const begin = Math.max(0, numberAt(from))
  const end = Math.max(begin, numberAt(to))
  const timeOf = (n: number) => Math.round(fromMs + (n * period + offset) * gap)
  return { first: timeOf(begin), last: timeOf(end - 1), count: end - begin }
}

function countStream(
  tally: Tally,
  scenario: Scenario,
  workload: WorkloadSpec,
  stream: Stream,
  state: ClusterState,
  window: { readonly from: number; readonly to: number },
): void {
  const context = contextOf(scenario, stream, state)
  if (context === undefined) return
  const isEdited = stream.destination !== undefined && state.editedDestinations.has(stream.destination)
  const outcome =
    outcomeOf(stream.call, context) ??
    (isEdited
      ? {
          kind: 'intention-id-gone',
          status: 500,
          text: 'cannot use legacy intention API to edit intentions with a destination of "…" after editing them via a service-intentions config entry',
          isError: true,
        }
      : undefined)
  if (outcome !== undefined) tally.add(workload.name, outcome, callsIn(workload, stream, window))
}

/** Connections over the limit of the version are refused when a server comes up and everybody connects anew. Spec 8. */
function countConnections(tally: Tally, workload: WorkloadSpec, state: ClusterState, from: number): void {
  if (workload.connections === 1) return
  for (const id of workload.servers) {
    const server = state.servers.get(id)
    const isNew = state.started.has(id) || (state.from < workload.fromMs && state.to > workload.fromMs)
    if (server?.state !== 'up' || !isNew) continue
    const edge = workload.agents[0] ?? server.version
    const { connectionLimit } = profileOf(edge)
    const over = connectionLimit === 0 ? 0 : workload.connections - connectionLimit
    if (over > 0) tally.add(workload.name, refusedConnection(edge), { first: from, last: from, count: over })
  }
}

function contextOf(scenario: Scenario, stream: Stream, state: ClusterState): CallContext | undefined {
  const server = state.servers.get(stream.server)
  if (server === undefined) return undefined
  const datacenter = scenario.datacenters.find((each) => each.servers.some(({ id }) => id === stream.server))
  const name = datacenter?.name ?? ''
  const leader = state.leaders.get(name)
  const primaryLeaderId = state.leaders.get(scenario.primary)
  const primaryLeader = primaryLeaderId === undefined ? undefined : state.servers.get(primaryLeaderId)
  return {
    model: scenario.model,
    server: { ...server, isLeader: stream.server === leader },
    agent: stream.agent,
    hasLeader: leader !== undefined,
    primaryLeader: primaryLeader?.state === 'up' ? primaryLeader.version : undefined,
    intentionsAreMigrated: state.intentionsAreMigrated,
    isPrimaryReached: !state.linksDown.has(linkKey(name, scenario.primary)),
    bootstrapped: scenario.bootstrapped,
  }
}
