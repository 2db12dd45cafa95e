/** Runs a scenario under the virtual clock until nothing can change any more, and returns its history. */
import { type Scenario, tokenCount } from '../scenario/scenario.ts'
import type { DatacenterState, Process } from './datacenter.ts'
import type { AccessorSpan } from './history.ts'
import type { UpgradeModel } from './models/model.ts'
import { scheduleScenario } from './schedule.ts'
import { scheduleReaping } from './servers/gossip.ts'
import type { RangeSet } from './tokens/ranges.ts'
import { migratedIn, unmigratedIn } from './tokens/replication.ts'
import { TokenStore } from './tokens/token-store.ts'
import { createWorld, isRunning, type World } from './world.ts'

/** How long clients keep calling after the last event of a scenario without a `duration`. */
const TAIL_MS = 60_000

/** What a simulation recorded, and the state at its end, for reports, findings and checkers. */
export type History = ReturnType<typeof historyOf>
export type FinalStore = History['stores'][number]
export type FinalMember = History['members'][number]

/** The same scenario gives the same history. @throws InputError for what spec 9.2.5 forbids. */
export function simulate(scenario: Scenario, model: UpgradeModel): History {
  const world = createWorld(scenario, model)
  scheduleScenario(world)
  scheduleReaping(world)
  const { queue } = world
  let isSettled = true
  for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
    if (scenario.durationMs !== undefined && next.atMs > scenario.durationMs) {
      isSettled = queue.activeCount === 0 && haveTimersLooked(world)
      break
    }
    if (scenario.durationMs === undefined && queue.activeCount === 0 && haveTimersLooked(world)) break
    world.now = next.atMs
    queue.pop()?.run()
  }
  return historyOf(world, isSettled)
}

function haveTimersLooked(world: World): boolean {
  const hasLooked = (process: Process | undefined): boolean =>
    process === undefined ||
    process.mode !== 'legacy' ||
    process.isPaused ||
    process.lookedAtChange === world.changes
  return world.datacenters.every(
    ({ servers, agents, intentions, leader }) =>
      [...servers, ...agents].every(({ process }) => hasLooked(process)) &&
      (intentions.state !== 'waiting' || leader === undefined || intentions.lookedAtChange === world.changes),
  )
}

function historyOf(world: World, isSettled: boolean) {
  const { scenario, records } = world
  const links = [...scenario.linkDelayMs.values()]
  return {
    model: world.model.name,
    seed: scenario.seed,
    primary: scenario.primary,
    datacenters: scenario.datacenters.map(({ name }) => name),
    tokensAtStart: tokenCount(scenario.tokens),
    rightsAtStart: new TokenStore(scenario.tokens).endingRights(),
    messageMs: Math.max(1, scenario.gossipDelayMs + scenario.gossipJitterMs + Math.max(0, ...links)),
    failureDetectionMs: scenario.failureDetectionMs,
    commitMs: scenario.commitMs,
    records,
    endedAt: scenario.durationMs ?? (records.at(-1)?.at ?? 0) + (scenario.workloads.length > 0 ? TAIL_MS : 0),
    isSettled,
    stores: world.datacenters.map((datacenter) => finalStore(world, datacenter)),
    members: world.datacenters.flatMap(finalMembers),
  }
}

function finalStore(world: World, datacenter: DatacenterState) {
  const { store, primary } = world
  const { localTokens, replication } = datacenter
  const isPrimary = datacenter === primary
  const migrated = migratedIn(datacenter)
  return {
    datacenter: datacenter.spec.name,
    rounds: replication.rounds,
    accessors: isPrimary ? store.accessors : store.accessors.flatMap((span) => partOf(span, migrated)),
    replication: isPrimary ? undefined : finalReplication(datacenter),
    localTokens,
    unmigrated: isPrimary ? store.all('unmigrated') : unmigratedIn(datacenter),
    ghosts: replication.ghosts.ranges,
    writes: isPrimary ? store.writes : new Map<number, number>(),
  }
}

function finalReplication({ leader, spec, replication }: DatacenterState) {
  const { lastSuccessMs, lastErrorMs, lastError } = replication
  const isNew = leader?.process?.mode === 'new'
  return {
    isRunning: leader !== undefined && isRunning(leader) && spec.replicationToken !== 'none',
    type: isNew ? (spec.tokenReplication ? 'tokens' : 'policies') : 'legacy',
    lastSuccessAt: lastSuccessMs,
    lastErrorAt: lastErrorMs,
    lastError,
  }
}

function partOf(span: AccessorSpan, tokens: RangeSet): AccessorSpan[] {
  return tokens
    .within([[span.from, span.to]])
    .map(([from, to]) => ({ from, to, accessor: span.accessor + from - span.from }))
}

function finalMembers({ spec, servers, agents }: DatacenterState) {
  return [...servers, ...agents].map(({ spec: { id }, process, newModeAt, kind }) => ({
    id,
    datacenter: spec.name,
    isAgent: kind === 'agent',
    version: process?.version,
    mode: process?.mode,
    isPaused: process?.isPaused ?? false,
    newModeAt,
    waitsFor: process?.mode === 'legacy' ? process.waitsFor : [],
  }))
}
