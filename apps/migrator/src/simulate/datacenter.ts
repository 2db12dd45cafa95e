/** The state of one simulated datacenter: its servers, its view of the cluster, and its leader's work. */
import type { ServiceVersion } from '@latchkey/contract'
import type { AgentSpec, DatacenterSpec, ServerSpec } from '../scenario/scenario.ts'
import type { Blocker, MemberStatus, Mode, Tag } from './history.ts'
import type { MemberView } from './models/model.ts'
import { RangeSet } from './tokens/range-set.ts'
import type { Range } from './tokens/ranges.ts'
import type { StoreSnapshot } from './tokens/token-store.ts'

/** A running process. A restart creates a new process. */
export interface Process {
  readonly version: ServiceVersion
  readonly acls: boolean
  mode: Mode
  isPaused: boolean
  /** Number of looks so far. */
  looks: number
  /** Whether a look became due while the process was paused. */
  isLookOverdue: boolean
  /** `World.changes` at its last look. Without a change, another look would have the same result. */
  lookedAtChange: number
  waitsFor: readonly Blocker[]
}

export interface ServerState {
  readonly kind: 'server'
  readonly spec: ServerSpec
  readonly datacenter: DatacenterState
  process: Process | undefined
  /** The version for its next start, unless the event names one. */
  version: ServiceVersion
  acls: boolean
  isMember: boolean
  /** The current status, which gossip spreads. */
  status: MemberStatus
  /** Whether the other servers keep its last gossip. */
  isGossipStale: boolean
  /** Numbers its messages; an older message never replaces a newer one. */
  told: number
  /** Its last tag, which the other servers remember after it has died. */
  lastTag: Tag
  /** Counts starts and resumes, so that a delayed failure notice does not apply to the next process. */
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

/** The view that a datacenter has of one server. */
export interface Known extends MemberView {
  readonly told: number
  /** Whether it advertises support for intentions as config entries (1.9.0). */
  readonly keepsIntentions: boolean
}

interface Migration {
  /** Whether the current leader has begun. */
  isRunning: boolean
  /** Idle until tokens appear. */
  isIdle: boolean
  /** From 1.11 on, the loop ends at the first empty pass. */
  isOver: boolean
  /** The batch fails on the same token every second. */
  isStuck: boolean
  /** A pass became due while the leader was paused. */
  isPassOverdue: boolean
  /** A pass is queued. */
  isPassQueued: boolean
  lastPassMs: number | undefined
  lastBatchMs: number | undefined
  lastBatch: readonly Range[]
  /** A batch that was read but not written. If the leader is interrupted, the write may or may not be in the log. */
  pending: { isInLog: boolean } | undefined
}

export interface Replication {
  /** Entries of the primary's log that the legacy loop has applied. */
  legacyCursor: number
  /** Entries that the new loop has applied. */
  cursor: number
  isRoundQueued: boolean
  /** Theoretical arrival time of the rate limiter: one round a second, bursts of five. */
  limiterMs: number
  /** First failure since the last success. */
  failingSinceMs: number | undefined
  rounds: number
  /** Whether the history records that the replication token may not read secrets. */
  isRefused: boolean
  lastSuccessMs: number | undefined
  lastErrorMs: number | undefined
  lastError: string | undefined
  /** Tokens that the legacy loop copied. */
  readonly copies: RangeSet
  /** Tokens that have an accessor in this datacenter. */
  readonly migrated: RangeSet
  /** The progress that the history last recorded. */
  recorded: number
  /** Copies without an accessor whose original is gone. */
  readonly ghosts: RangeSet
}

interface Intentions {
  /** Config entries of kind service-intentions exist: versions before 1.9.0 cannot read the data. */
  hasEntries: boolean
  state: 'none' | 'waiting' | 'migrating' | 'done' | 'never'
  /** As {@link Process.lookedAtChange}. */
  lookedAtChange: number
}

export interface DatacenterState {
  readonly spec: DatacenterSpec
  readonly servers: ServerState[]
  readonly agents: AgentState[]
  /** The view that this datacenter has of every server of every datacenter. */
  readonly view: Map<string, Known>
  leader: ServerState | undefined
  lastLeader: ServerState | undefined
  /** The winner of the next election, if the scenario names one. */
  favourite: ServerState | undefined
  /** Incremented with each leader. Work from an earlier term is discarded. */
  term: number
  /** The term of the election in progress. */
  electionTerm: number | undefined
  /** Whether a leader has ever left legacy mode: the data cannot be downgraded. Spec 9.2.5. */
  hasCompleted: boolean
  localTokens: number
  readonly migration: Migration
  replication: Replication
  readonly intentions: Intentions
}

/** The state of a datacenter in a snapshot. */
export interface Snapshot {
  readonly store: StoreSnapshot
  readonly replication: Replication
  readonly hasCompleted: boolean
  readonly intentions: Intentions
  readonly localTokens: number
  readonly recordsThen: number
}

/** The initial state of a datacenter. @param tokensAtStart legacy tokens of which every datacenter has copies. */
export function createDatacenter(spec: DatacenterSpec, tokensAtStart: number): DatacenterState {
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
    localTokens: spec.localTokens,
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
      lastSuccessMs: undefined,
      lastErrorMs: undefined,
      lastError: undefined,
      copies: new RangeSet(tokensAtStart === 0 ? [] : [[0, tokensAtStart]]),
      migrated: new RangeSet(),
      recorded: 0,
      ghosts: new RangeSet(),
    },
    intentions: { hasEntries: false, state: 'none', lookedAtChange: -1 },
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
