/** The state of one simulated datacenter: its servers, what is known there, and the work of its leader. */
import type { ServiceVersion } from '@latchkey/contract'
import type { AgentSpec, DatacenterSpec, ServerSpec } from '../scenario/scenario.ts'
import type { Blocker, MemberStatus, Mode, Tag } from './history.ts'
import type { MemberView } from './model.ts'
import type { Range } from './ranges.ts'

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

/** A datacenter before anything has happened. */
export function createDatacenter(spec: DatacenterSpec): DatacenterState {
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
