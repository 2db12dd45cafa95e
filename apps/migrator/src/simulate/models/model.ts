/**
 * The differences between the two models, as plain functions. The engine keeps time, messages and stores; a model decides. A
 * seeded bug (bugs.ts) is a model with one function replaced, so every rule that a checker enforces is its own function.
 */
import type { ServiceVersion } from '@latchkey/contract'
import type { ModelName } from '../../scenario/scenario.ts'
import type { Blocker, MemberStatus, Mode, Tag } from '../history.ts'
import type { Ranges } from '../tokens/ranges.ts'

/** One line of the member list that a server looks at. */
export interface MemberView {
  readonly server: string
  readonly status: MemberStatus
  readonly tag: Tag
}

/** What a process sees when it checks whether it may leave legacy mode. */
export interface Look {
  readonly version: ServiceVersion
  readonly role: 'leader' | 'follower' | 'agent'
  readonly isPrimary: boolean
  /** Members of its own datacenter, itself included. */
  readonly own: readonly MemberView[]
  /** Members of the primary, where that is another datacenter. */
  readonly primary: readonly MemberView[]
  /** The leader of its datacenter; undefined while there is none. */
  readonly leader: MemberView | undefined
}

/** The answer to a look: empty means that the process leaves legacy mode. */
export type WaitsFor = readonly Blocker[]

/** What the migration remembers of its passes. */
export interface PassMemory {
  /** Last pass of the current leader, even if it found nothing. */
  readonly lastPassMs: number | undefined
  /** Last batch of any leader, as the store knows it. */
  readonly lastBatchMs: number | undefined
}

/** The data on which a server starts. */
export interface StartFacts {
  readonly version: ServiceVersion
  /** Tokens whose rights come from the legacy system alone. */
  readonly legacyRightsCount: number
  /** Tokens without an accessor. */
  readonly unmigratedCount: number
}

/** How the secondaries of a model get the tokens of the primary. */
export interface ReplicationModel {
  /** Whether a loop copies tokens in legacy mode, too. Without it a secondary keeps the copies that it began with. */
  readonly followsInLegacyMode: boolean
  /** Least time between two rounds, on average, and how many may follow each other at once after a rest. */
  readonly intervalMs: number
  readonly burst: number
  /** Wait before the first retry, which doubles up to the longest. */
  readonly retryMsFirst: number
  readonly retryMsMax: number
  /**
   * Whether a copy without an accessor is met by its secret: a copy whose original is gone is then deleted once every token
   * of the primary has an accessor. Otherwise such a copy is a ghost.
   */
  readonly comparesSecrets: boolean
  /** Whether a replication token with acl:read still replicates policies; without, it replicates nothing. */
  readonly readsWithoutSecrets: boolean
}

export interface UpgradeModel {
  readonly name: ModelName
  readonly replication: ReplicationModel
  /** Whether a secondary asks a server of the primary at every look, instead of what gossip has told it. */
  readonly asksPrimary: boolean
  /** Wait before look `n`, counted from 0, since the look before it (the first: since the start of the process). */
  lookDelayMs(n: number): number
  /** What blocks a process from leaving legacy mode. */
  waitsFor(look: Look): WaitsFor
  /** The mode of a new process. */
  modeAtStart(process: { version: ServiceVersion; acls: boolean; hasCompleted: boolean }): Mode
  /** Why a server does not start on this data, apart from the downgrade of spec 9.2.5; undefined if it starts. */
  startRefusal(start: StartFacts): string | undefined
  /** How long a server that stopped counts before it has left; undefined: it is like one that crashed. */
  readonly stoppedCountsMs: number | undefined
  /** Default time from the loss of a leader to the next one. */
  readonly electionMsDefault: number
  /** Default time after which a paused leader is replaced. */
  readonly pauseMsDefault: number
  /** Whether all processes of a datacenter leave legacy mode together. */
  readonly leavesTogether: boolean
  /** The mode of a server after its datacenter loses the leader. */
  modeWithoutLeader(mode: Mode): Mode
  /** Whether a datacenter needs a majority of its servers for a leader. */
  readonly needsMajority: boolean
  /** Whether a new leader that is in new mode resumes the migration. */
  readonly migratesAfterElection: boolean
  /** The next batch of the tokens that wait for an accessor. */
  nextBatch(waiting: Ranges): Ranges
  /** Earliest time of the next pass. */
  nextPassMs(memory: PassMemory, nowMs: number): number
  /**
   * What happens to a token that changes between the read and the write of its batch. `skip`: a later batch takes
   * it. `reread`: the batch is read and written again at once. `overwrite`: the change is lost, which no rule allows.
   */
  readonly onConflict: 'skip' | 'reread' | 'overwrite'
  /** Whether later batches take tokens that a batch skipped. */
  readonly retriesSkipped: boolean
  /** Whether the migration notices tokens created after it began. */
  readonly noticesNewTokens: boolean
  /** Whether the worker waits a whole interval after it was idle, as a new leader does. */
  readonly waitsAfterIdle: boolean
  /** How many tokens of the last batch a new leader takes again, thinking them unwritten. */
  readonly repeatsAtTakeover: boolean
  /** Whether a new leader draws accessors that were never given; else it may repeat some. */
  readonly drawsFreshAccessors: boolean
  /** Whether one token that cannot be written undoes its batch. */
  readonly undoesWholeBatch: boolean
}

/** What a server of this version, in this mode, says of itself. */
export function tagOf(mode: Mode): Tag {
  const tags = { old: 'none', off: '0', legacy: '2', new: '1' } as const
  return tags[mode]
}
