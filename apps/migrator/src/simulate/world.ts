/** The state of a simulated cluster, and the few ways in which every part of the engine changes it. */
import type { ServiceVersion } from '@latchkey/contract'
import type { AgentSpec, DatacenterSpec, Scenario, ServerSpec } from '../scenario/scenario.ts'
import { linkKey } from '../scenario/scenario.ts'
import type { Blocker, HistoryRecord, MemberStatus, Mode, Tag } from './history.ts'
import type { MemberView, UpgradeModel } from './model.ts'
import { EventQueue } from './queue.ts'
import { createRandom, type Random } from './random.ts'
import type { Range } from './ranges.ts'
import { TokenStore } from './token-store.ts'

/** A running process. A restart makes a new one. */
export interface Process {
  readonly version: ServiceVersion
  readonly acls: boolean
  mode: Mode
  isPaused: boolean
  /** Looks done so far. */
  looks: number
  /** A look fell due while the process was paused. */
  isLookOverdue: boolean
  /** {@link World.changes} at its last look: a second look before the next change would see the same. */
  lookedAtChange: number
  waitsFor: readonly Blocker[]
}

export interface ServerState {
  readonly kind: 'server'
  readonly spec: ServerSpec
  readonly datacenter: DatacenterState
  process: Process | undefined
  /** What it runs at its next start, unless the event says otherwise. */
  version: ServiceVersion
  acls: boolean
  isMember: boolean
  /** What the rest of the cluster will come to see, once told. */
  status: MemberStatus
  /** Others keep what they last heard. */
  isGossipStale: boolean
  /** Counts what it told, so that an older message never overtakes a newer one. */
  told: number
  /** What it last said of itself: a dead server is remembered with it. */
  lastTag: Tag
  /** Counts starts and resumptions, so that a failure noticed late does not hit the next life. */
  lives: number
  newModeAt: number | undefined
}

export interface AgentState {
  readonly kind: 'agent'
  readonly spec: AgentSpec
  readonly datacenter: DatacenterState
  process: Process | undefined
  newModeAt: number | undefined
}

/** What one datacenter knows of one server. */
export interface Known extends MemberView {
  readonly told: number
  /** Whether it says that it can keep intentions as config entries (1.9.0; reference 5.4). */
  readonly keepsIntentions: boolean
}

export interface Migration {
  /** Whether the leader in office has begun. */
  isRunning: boolean
  /** Nothing to do: sleeps until tokens appear. */
  isIdle: boolean
  /** From 1.11 the loop ends at the first empty pass. */
  isOver: boolean
  /** Fails on the same token every second. */
  isStuck: boolean
  /** A pass fell due while the leader was paused. */
  isPassOverdue: boolean
  /** A pass is queued. */
  isPassQueued: boolean
  lastPassMs: number | undefined
  lastBatchMs: number | undefined
  lastBatch: readonly Range[]
  /** Read and not yet written; whether the write is in the log for sure is decided when the leader is interrupted. */
  pending: { isInLog: boolean } | undefined
}

export interface Replication {
  /** Entries of the primary's log that the legacy loop has applied. */
  legacyCursor: number
  /** Entries that the new loop has applied. */
  cursor: number
  isRoundQueued: boolean
  /** Theoretical arrival time of the limiter: one round a second, five at once after a rest. */
  limiterMs: number
  /** First failure since the last success. */
  failingSinceMs: number | undefined
  rounds: number
  /** The replication token may not see secrets, and that was written down. */
  isRefused: boolean
  /** Tokens that have an accessor here. */
  migrated: number
  /** What was last written down of it. */
  recorded: number
  ghosts: Range[]
}

export interface Intentions {
  state: 'none' | 'waiting' | 'migrating' | 'done' | 'never'
  /** As {@link Process.lookedAtChange}. */
  lookedAtChange: number
}

export interface DatacenterState {
  readonly spec: DatacenterSpec
  readonly servers: ServerState[]
  readonly agents: AgentState[]
  /** What is known here of every server of every datacenter. */
  readonly view: Map<string, Known>
  leader: ServerState | undefined
  lastLeader: ServerState | undefined
  /** Wins the next election, as the scenario has it. */
  favourite: ServerState | undefined
  /** Counts leaders; work of an earlier one is void. */
  term: number
  /** The term in which an election is on its way. */
  electionTerm: number | undefined
  /** Its leader has left legacy mode, now or in an earlier life: its data cannot go back. Spec 9.2.5. */
  hasCompleted: boolean
  readonly migration: Migration
  readonly replication: Replication
  readonly intentions: Intentions
}

export interface World {
  readonly scenario: Scenario
  readonly model: UpgradeModel
  readonly queue: EventQueue
  readonly random: Random
  readonly datacenters: readonly DatacenterState[]
  readonly primary: DatacenterState
  readonly servers: ReadonlyMap<string, ServerState>
  readonly store: TokenStore
  readonly linksDown: Set<string>
  readonly records: HistoryRecord[]
  now: number
  /** Counts what a look could see differently afterwards. */
  changes: number
  /** Edits that are to hit the next batch between its read and its write. */
  racingEdits: { readonly count: number; readonly offset: number }[]
  /** Next accessor to be given. */
  accessorNext: number
  /** When the first primary leader left legacy mode: the point of no return. Spec 9.2.5. */
  completedAt: number | undefined
}

/** The cluster of a scenario before anything has happened. */
export function createWorld(scenario: Scenario, model: UpgradeModel): World {
  const datacenters = scenario.datacenters.map(createDatacenter)
  const [primary] = datacenters
  if (primary === undefined) throw new TypeError('a scenario has a datacenter')
  return {
    scenario,
    model,
    queue: new EventQueue(),
    random: createRandom(scenario.seed),
    datacenters,
    primary,
    servers: new Map(datacenters.flatMap((each) => each.servers.map((server) => [server.spec.id, server]))),
    store: new TokenStore(scenario.tokens),
    linksDown: new Set(),
    records: [],
    now: 0,
    changes: 0,
    racingEdits: [],
    accessorNext: 0,
    completedAt: undefined,
  }
}

function createDatacenter(spec: DatacenterSpec): DatacenterState {
  const datacenter: DatacenterState = {
    spec,
    servers: [],
    agents: [],
    view: new Map(),
    leader: undefined,
    lastLeader: undefined,
    favourite: undefined,
    term: 0,
    electionTerm: undefined,
    hasCompleted: false,
    migration: {
      isRunning: false,
      isIdle: false,
      isOver: false,
      isStuck: false,
      isPassOverdue: false,
      isPassQueued: false,
      lastPassMs: undefined,
      lastBatchMs: undefined,
      lastBatch: [],
      pending: undefined,
    },
    replication: {
      legacyCursor: 0,
      cursor: 0,
      isRoundQueued: false,
      limiterMs: 0,
      failingSinceMs: undefined,
      rounds: 0,
      isRefused: false,
      migrated: 0,
      recorded: 0,
      ghosts: [],
    },
    intentions: { state: 'none', lookedAtChange: -1 },
  }
  datacenter.servers.push(
    ...spec.servers.map((server) => ({
      kind: 'server' as const,
      spec: server,
      datacenter,
      process: undefined,
      version: server.version,
      acls: server.acls,
      isMember: !server.joinsLater,
      status: server.status,
      isGossipStale: false,
      told: 0,
      lastTag: 'none' as const,
      lives: 0,
      newModeAt: undefined,
    })),
  )
  datacenter.agents.push(
    ...spec.agents.map((agent) => ({
      kind: 'agent' as const,
      spec: agent,
      datacenter,
      process: undefined,
      newModeAt: undefined,
    })),
  )
  return datacenter
}

type Unstamped<T> = T extends HistoryRecord ? Omit<T, 'at'> : never

/** Writes down what happened now. */
export function record(world: World, what: Unstamped<HistoryRecord>): void {
  world.records.push({ at: world.now, ...what })
}

/** Something has changed that a look could see. */
export function changed(world: World): void {
  world.changes += 1
}

export function serverOf(world: World, id: string): ServerState {
  const server = world.servers.get(id)
  if (server === undefined) throw new TypeError(`the scenario let the unknown server ${id} through`)
  return server
}

/** Whether a server can do anything at all now. */
export function isRunning(server: ServerState): server is ServerState & { process: Process } {
  return server.process !== undefined && !server.process.isPaused
}

/** Whether two datacenters reach each other now. */
export function isLinkUp(world: World, a: string, b: string): boolean {
  return a === b || !world.linksDown.has(linkKey(a, b))
}

/** One-way delay between two datacenters. */
export function linkDelayMs(world: World, a: string, b: string): number {
  return a === b ? 0 : (world.scenario.linkDelayMs.get(linkKey(a, b)) ?? 0)
}
