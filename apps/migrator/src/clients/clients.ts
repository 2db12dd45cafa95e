/** Computes what the workloads of a scenario would see, without simulating single calls. */
import { isBefore, profileOf, type ServiceVersion } from '@latchkey/contract'
import { linkKey, type Scenario, type WorkloadSpec } from '../scenario/scenario.ts'
import type { History } from '../simulate/run.ts'
import { version } from '../version.ts'
import { type CallContext, type CallKind, type Calls, callsIn, callsOf, type Outcome } from './call.ts'
import { type ClusterState, clusterStates } from './cluster-states.ts'
import { outcomeOf, refusedConnection } from './outcome.ts'

interface Stream {
  readonly server: string
  readonly agent: ServiceVersion | undefined
  readonly call: CallKind
  readonly payload: CallContext['payload']
  readonly destination: string | undefined
  /** This stream makes every `period`-th call of the workload, starting at `offset`. */
  readonly offset: number
  readonly period: number
}

const DESTINATIONS_MAX = 50

export function countClients(scenario: Scenario, history: History): ReadonlyMap<string, ClientErrors> {
  const tally = new Tally()
  const workloads = scenario.workloads.map((workload) => ({
    workload,
    streams: streamsOf(workload, scenario),
    watch: { last: undefined as 'old' | 'new' | undefined },
  }))
  for (const state of clusterStates(history)) {
    for (const { workload, streams, watch } of workloads) {
      const from = Math.max(state.from, workload.fromMs)
      const to = Math.min(state.to, workload.toMs ?? history.endedAt)
      if (to <= from) continue
      countConnections(tally, workload, state, from)
      const made = streams.map((stream) => ({ ...stream, calls: callsIn(workload, stream, { from, to }) }))
      if (workload.kind === 'service-watch')
        for (const calls of decreasedCalls(made, state, watch)) tally.add(workload.name, DECREASED, calls)
      for (const { calls, ...stream } of made) {
        const context = contextOf(scenario, stream, state)
        const outcome = context === undefined ? undefined : outcomeOf(stream.call, context)
        if (outcome !== undefined) tally.add(workload.name, outcome, calls)
      }
    }
  }
  return tally.result()
}

export function writtenDestinations(
  intentions: readonly { readonly destination: string }[],
): readonly string[] {
  return [...new Set(intentions.map(({ destination }) => destination))].slice(0, DESTINATIONS_MAX)
}

/** Call `k` goes to server `k`. Then agent, call and destination rotate until all combinations have occurred. */
function streamsOf({ kind, servers, agents, endpoint, field }: WorkloadSpec, scenario: Scenario): Stream[] {
  const destinations = kind === 'intention-write' ? writtenDestinations(scenario.intentions) : []
  const combinations = (destinations.length === 0 ? [undefined] : destinations).flatMap((destination) =>
    callsOf(kind).flatMap((call) =>
      (agents.length === 0 ? [undefined] : agents).flatMap((agent) =>
        servers.map((server) => ({ server, agent, call, destination, payload: { path: endpoint, field } })),
      ),
    ),
  )
  return combinations.map((each, offset) => ({ ...each, offset, period: combinations.length }))
}

/** When clients reconnect to a started server, it refuses connections above the limit of its version. Spec 8. */
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
  if (datacenter === undefined) return undefined
  const { name, isPrimary, tokenReplication, replicationToken } = datacenter
  const leader = state.leaders.get(name)
  const primaryLeaderId = state.leaders.get(scenario.primary)
  const primaryLeader = primaryLeaderId === undefined ? undefined : state.servers.get(primaryLeaderId)
  return {
    model: scenario.model,
    server: { ...server, isLeader: stream.server === leader },
    agent: stream.agent,
    payload: stream.payload,
    hasLeader: leader !== undefined,
    primaryLeader: primaryLeader?.state === 'up' ? primaryLeader.version : undefined,
    intentionsAreMigrated: state.intentionsAreMigrated,
    isEdited: stream.destination !== undefined && state.editedDestinations.has(stream.destination),
    isPrimaryReached: !state.linksDown.has(linkKey(name, scenario.primary)) && isAnyUp(scenario, state),
    tokenSource: isPrimary
      ? 'own'
      : !tokenReplication || replicationToken === 'none'
        ? 'primary'
        : replicationToken === 'read'
          ? 'nothing'
          : 'copies',
    isPrimary,
    bootstrapped: scenario.bootstrapped,
    isBootstrapRecorded: primaryLeaderId !== undefined && state.oldSnapshots.has(primaryLeaderId),
  }
}

function isAnyUp({ datacenters }: Scenario, state: ClusterState): boolean {
  const primary = datacenters.find((each) => each.isPrimary)
  return primary?.servers.some(({ id }) => state.servers.get(id)?.state === 'up') ?? false
}

export interface ClientErrors {
  /** In milliseconds. */
  readonly first: number
  readonly last: number
  readonly count: number
  readonly isError: boolean
  readonly status: number | undefined
  readonly text: string
  readonly workloads: Readonly<Record<string, number>>
  readonly spans: readonly { readonly from: number; readonly to: number; readonly count: number }[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

class Tally {
  private readonly kinds = new Map<
    string,
    Mutable<ClientErrors> & { spans: { from: number; to: number; count: number }[] }
  >()

  add(workload: string, { kind, ...outcome }: Outcome, { first, last, count }: Calls): void {
    if (count === 0) return
    const known = this.kinds.get(kind) ?? { first, last, count: 0, ...outcome, workloads: {}, spans: [] }
    known.first = Math.min(known.first, first)
    known.last = Math.max(known.last, last)
    known.count += count
    known.workloads = { ...known.workloads, [workload]: (known.workloads[workload] ?? 0) + count }
    known.spans.push({ from: first, to: last, count })
    this.kinds.set(kind, known)
  }

  result(): ReadonlyMap<string, ClientErrors> {
    return new Map([...this.kinds].sort(([, a], [, b]) => a.first - b.first))
  }
}

const DECREASED: Outcome = {
  kind: 'index-decreased',
  status: 200,
  text: 'X-…-Index is lower than in the answer before; a watcher that keeps the old one misses changes',
  isError: false,
}

/** The calls that see a decrease: those of a newer server after an older one. @param watch updated. */
function decreasedCalls(
  streams: readonly { readonly server: string; readonly calls: Calls }[],
  state: ClusterState,
  watch: { last: 'old' | 'new' | undefined },
): Calls[] {
  const answered = streams.flatMap(({ server: id, calls }) => {
    const server = state.servers.get(id)
    if (server?.state !== 'up') return []
    return [{ calls, kind: isBefore(server.version, version('1.0.7')) ? ('old' as const) : ('new' as const) }]
  })
  if (answered.length === 0) return []
  const decreased = answered
    .filter(({ kind }, i) => kind === 'new' && answered.at(i - 1)?.kind === 'old')
    .map(({ calls }) => calls)
  const isOld = answered.some(({ kind }) => kind === 'old')
  if (watch.last === 'old' && !isOld) {
    const times = streams.filter(({ calls }) => calls.count > 0).map(({ calls }) => calls.first)
    const first = Math.min(...times)
    if (times.length > 0) decreased.push({ first, last: first, count: 1 })
  }
  watch.last = isOld ? 'old' : 'new'
  return decreased
}
