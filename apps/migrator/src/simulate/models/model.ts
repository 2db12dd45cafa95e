/** The differences between the two models. The engine handles time, messages and stores; a model decides. */
import type { ServiceVersion } from '@latchkey/contract'
import type { ModelName } from '../../scenario/scenario.ts'
import type { Blocker, MemberStatus, Mode } from '../history.ts'
import type { Ranges } from '../tokens/ranges.ts'

export interface MemberView {
  readonly server: string
  readonly status: MemberStatus
  readonly mode: Mode
}

export interface Look {
  readonly version: ServiceVersion
  readonly role: 'leader' | 'follower' | 'agent'
  readonly isPrimary: boolean
  readonly own: readonly MemberView[]
  readonly primary: readonly MemberView[]
  /** The leader of its datacenter; undefined while there is none. */
  readonly leader: MemberView | undefined
}

export interface PassMemory {
  /** Last pass of the current leader, even if it found no tokens. */
  readonly lastPassMs: number | undefined
  /** Last batch of any leader, according to the store. */
  readonly lastBatchMs: number | undefined
}

export interface StartFacts {
  readonly version: ServiceVersion
  readonly legacyRightsCount: number
  readonly unmigratedCount: number
}

interface ReplicationModel {
  /** Whether tokens are also replicated in legacy mode. Otherwise a secondary keeps its initial copies. */
  readonly followsInLegacyMode: boolean
  /** Rate limit of rounds: the average minimum interval, and the burst size. */
  readonly intervalMs: number
  readonly burst: number
  /** Exponential backoff: the first wait, which doubles up to the maximum. */
  readonly retryMsFirst: number
  readonly retryMsMax: number
  /** Whether copies are matched by secret; otherwise one whose original is gone remains as a ghost. */
  readonly comparesSecrets: boolean
  /** Whether a replication token with acl:read still replicates policies; otherwise it replicates nothing. */
  readonly readsWithoutSecrets: boolean
}

export interface UpgradeModel {
  readonly name: ModelName
  readonly replication: ReplicationModel
  /**
   * Whether the servers of a datacenter share a store. They then leave legacy mode together, write without a majority,
   * and read a batch again at once if a token changes before its write. Otherwise that token is left to a later batch,
   * and one that cannot be written rolls back its batch.
   */
  readonly sharesStore: boolean
  /** Whether a secondary asks a server of the primary at every look, instead of relying on gossip. */
  readonly asksPrimary: boolean
  /** Delay of look `n`, counted from 0, after the previous look; for the first look, after the start of the process. */
  lookDelayMs(n: number): number
  waitsFor(look: Look): readonly Blocker[]
  modeAtStart(process: { version: ServiceVersion; acls: boolean; hasCompleted: boolean }): Mode
  startRefusal(start: StartFacts): string | undefined
  /** How long a stopped server counts before it is treated as left; undefined: a stop is treated as a crash. */
  readonly stoppedCountsMs: number | undefined
  readonly electionMsDefault: number
  readonly pauseMsDefault: number
  nextBatch(waiting: Ranges): Ranges
  nextPassMs(memory: PassMemory, nowMs: number): number
  /** Whether the worker waits a whole interval after it was idle, like a new leader. */
  readonly waitsAfterIdle: boolean
}
