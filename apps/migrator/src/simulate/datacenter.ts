/** The state of one simulated datacenter: its servers, its view of the cluster, and its leader's work. */
import type { ServiceVersion } from '@latchkey/contract'
import type { AgentSpec, DatacenterSpec, ServerSpec } from '../scenario/scenario.ts'
import type { Blocker, MemberStatus, Mode } from './history.ts'
import type { MemberView } from './models/model.ts'
import { RangeSet } from './tokens/ranges.ts'
import type { StoreSnapshot } from './tokens/token-store.ts'

export class Process {
  readonly version: ServiceVersion
  readonly acls: boolean
  mode: Mode
  isPaused = false
  looks = 0
  isLookOverdue = false
  /** `World.changes` at its last look. Without a change, another look would have the same result. */
  lookedAtChange = -1
  waitsFor: readonly Blocker[] = []

  constructor(version: ServiceVersion, acls: boolean, mode: Mode) {
    this.version = version
    this.acls = acls
    this.mode = mode
  }
}

export class ServerState {
  readonly kind = 'server'
  readonly spec: ServerSpec
  readonly datacenter: DatacenterState
  process: Process | undefined
  version: ServiceVersion
  acls: boolean
  isMember: boolean
  status: MemberStatus
  /** Whether the other servers keep its last gossip. */
  isGossipStale = false
  /** Numbers its messages; an older message never replaces a newer one. */
  told = 0
  lastMode: Mode = 'old'
  /** Counts starts and resumes, so that a delayed failure notice does not apply to the next process. */
  lives = 0
  newModeAt: number | undefined

  constructor(spec: ServerSpec, datacenter: DatacenterState) {
    this.spec = spec
    this.datacenter = datacenter
    this.version = spec.version
    this.acls = spec.acls
    this.isMember = !spec.joinsLater
    this.status = spec.status
  }
}

export interface AgentState {
  readonly kind: 'agent'
  readonly spec: AgentSpec
  readonly datacenter: DatacenterState
  process: Process | undefined
  newModeAt: number | undefined
}

export interface Known extends MemberView {
  readonly told: number
  readonly keepsIntentions: boolean
}

class Migration {
  isRunning = false
  isIdle = false
  /** From 1.11 on, the loop ends at the first empty pass. */
  isOver = false
  isStuck = false
  /** A pass became due while the leader was paused. */
  isPassOverdue = false
  isPassQueued = false
  lastPassMs: number | undefined
  lastBatchMs: number | undefined
  /** A batch that was read but not written. If the leader is interrupted, the write may or may not be in the log. */
  pending: { isInLog: boolean } | undefined
}

export class Replication {
  /** Entries of the primary's log that the legacy loop has applied. */
  legacyCursor = 0
  /** Entries that the new loop has applied. */
  cursor = 0
  isRoundQueued = false
  /** Theoretical arrival time of the rate limiter: one round a second, bursts of five. */
  limiterMs = 0
  failingSinceMs: number | undefined
  rounds = 0
  isRefused = false
  lastSuccessMs: number | undefined
  lastErrorMs: number | undefined
  lastError: string | undefined
  readonly copies: RangeSet
  readonly migrated: RangeSet
  /** Copies without an accessor whose original is gone. */
  readonly ghosts: RangeSet
  recorded = 0

  constructor(sets: Partial<Pick<Replication, 'copies' | 'migrated' | 'ghosts'>>) {
    this.copies = new RangeSet(sets.copies?.ranges)
    this.migrated = new RangeSet(sets.migrated?.ranges)
    this.ghosts = new RangeSet(sets.ghosts?.ranges)
  }

  clone(): Replication {
    const { copies, migrated, ghosts, ...rest } = this
    return Object.assign(new Replication({ copies, migrated, ghosts }), rest)
  }
}

class Intentions {
  /** Config entries of kind service-intentions exist: versions before 1.9.0 cannot read the data. */
  hasEntries = false
  state: 'none' | 'waiting' | 'migrating' | 'done' | 'never' = 'none'
  lookedAtChange = -1
}

export class DatacenterState {
  readonly spec: DatacenterSpec
  readonly servers: readonly ServerState[]
  readonly agents: readonly AgentState[]
  readonly view = new Map<string, Known>()
  leader: ServerState | undefined
  lastLeader: ServerState | undefined
  favourite: ServerState | undefined
  /** Incremented with each leader. Work from an earlier term is discarded. */
  term = 0
  electionTerm: number | undefined
  /** Whether a leader has ever left legacy mode: the data cannot be downgraded. Spec 9.2.5. */
  hasCompleted = false
  localTokens: number
  readonly migration = new Migration()
  replication: Replication
  readonly intentions = new Intentions()
  readonly snapshots = new Map<number, Snapshot>()

  constructor(spec: DatacenterSpec, tokensAtStart: number) {
    this.spec = spec
    this.localTokens = spec.localTokens
    this.replication = new Replication({ copies: new RangeSet([[0, tokensAtStart]]) })
    this.servers = spec.servers.map((server) => new ServerState(server, this))
    this.agents = spec.agents.map((agent) => ({
      kind: 'agent',
      spec: agent,
      datacenter: this,
      process: undefined,
      newModeAt: undefined,
    }))
  }
}

export interface Snapshot {
  readonly store: StoreSnapshot
  readonly replication: Replication
  readonly hasCompleted: boolean
  readonly intentions: Intentions
  readonly localTokens: number
  readonly recordsThen: number
}
