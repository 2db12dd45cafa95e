/** A mock service as a secondary datacenter: it follows another mock service. */
import type { ReplicationRecord } from '@latchkey/acl'
import { formatInstant, invariant, ZERO_TIME } from '@latchkey/contract'
import {
  type ChangesSource,
  type ClusterInfo,
  type MemoryStore,
  Replicator,
  type ReplicatorOptions,
  serviceSource,
} from '@latchkey/service'
import type { MockClock } from '../mock-clock.ts'
import type { Settings } from '../options.ts'
import { type Feed, feedOf } from './feed.ts'

type ReplicationState = Exclude<Awaited<ReturnType<ClusterInfo['replication']>>, undefined>

interface FollowerOptions extends Pick<ReplicatorOptions, 'random'> {
  readonly settings: Pick<Settings, 'primaryDatacenter' | 'datacenters' | 'headerPrefixes'>
  readonly store: MemoryStore
  readonly clock: MockClock
}

/** How a test restricts replication. */
interface Hold {
  readonly isPaused: boolean
  /** Why requests to the primary fail. */
  readonly failure: string | undefined
  readonly lagMs: number
}

const NO_HOLD: Hold = { isPaused: false, failure: undefined, lagMs: 0 }
const NEVER = new AbortController().signal
/** Far more than the pages of any copy. */
const STEPS_MAX = 10_000

export class Follower {
  private readonly options: FollowerOptions
  private readonly replicator: Replicator
  private hold = NO_HOLD
  private watched: Feed | undefined
  /** The last run; runs are sequential. */
  private running: Promise<void> = Promise.resolve()

  constructor(options: FollowerOptions) {
    this.options = options
    const { store, clock, random, settings } = options
    const { primaryDatacenter } = settings
    const source: ChangesSource = { ask: (query, signal) => this.source().ask(query, signal) }
    this.replicator = new Replicator({
      ...{ store, source, clock, sleeper: clock, random, primaryDatacenter },
      kinds: 'all',
    })
  }

  /** Restricts replication, or lets it continue. */
  set(hold: Partial<Hold>): void {
    this.hold = { ...this.hold, ...hold }
    if (hold.lagMs === undefined) void this.catchUp()
  }

  /** Returns to the initial state. */
  reset(): void {
    this.hold = NO_HOLD
    void this.run()
  }

  /** Catches up with the primary before a request. Costs nothing if the primary has not changed. */
  catchUp(): Promise<void> {
    return this.hold.lagMs > 0 && this.record() !== undefined ? this.running : this.run()
  }

  state(): ReplicationState {
    const { settings } = this.options
    const status = this.replicator.status()
    const primaryIndex = this.feed()?.index() ?? status.primaryIndex
    const { isPaused } = this.hold
    return {
      enabled: true,
      running: !isPaused && ['copying', 'following'].includes(status.state),
      sourceDatacenter: settings.primaryDatacenter,
      type: 'tokens',
      index: status.index,
      hasTokens: true,
      lastSuccess: instantOf(status.lastSuccess),
      lastError: instantOf(status.lastError),
      lastErrorMessage: status.lastErrorMessage ?? '',
      cluster: this.record()?.cluster ?? '',
      primaryIndex: Math.max(status.index, primaryIndex),
      lagIndex: Math.max(0, primaryIndex - status.index),
      lagSeconds: (status.lagMs ?? 0) / 1_000,
      state: isPaused ? 'paused' : status.state,
      skipped: (this.record()?.skipped ?? []).map(({ accessorId, reason }) => ({
        AccessorID: accessorId,
        Reason: reason,
      })),
    }
  }

  private run(): Promise<void> {
    this.running = this.running.then(() => this.step())
    return this.running
  }

  private async step(): Promise<void> {
    this.watch()
    for (let steps = 0; steps < STEPS_MAX && !this.hold.isPaused && this.isBehind(); steps += 1) {
      const { outcome } = await this.replicator.step(NEVER)
      if (outcome !== 'applied' && outcome !== 'copied') return
    }
  }

  private isBehind(): boolean {
    const feed = this.feed()
    const { state, index } = this.replicator.status()
    const fails = this.hold.failure !== undefined
    return fails || feed === undefined || state !== 'following' || feed.index() > index
  }

  private record(): ReplicationRecord | undefined {
    return this.options.store.directory().system('replication')?.Value
  }

  private feed(): Feed | undefined {
    const { datacenters, primaryDatacenter } = this.options.settings
    return feedOf(datacenters[primaryDatacenter])
  }

  /** Follows whenever the primary changes, so that blocking queries here wake. */
  private watch(): void {
    const feed = this.feed()
    if (feed === undefined || feed === this.watched) return
    this.watched = feed
    const { clock } = this.options
    feed.onChange(() => {
      if (this.hold.lagMs === 0) void this.run()
      else clock.afterInBackground(this.hold.lagMs, () => void this.run())
    })
  }

  private source(): ChangesSource {
    const { failure } = this.hold
    if (failure !== undefined) throw new Error(failure)
    const feed = this.feed()
    if (feed === undefined) throw new Error('the primary datacenter cannot be reached')
    const [headerPrefix] = this.options.settings.headerPrefixes
    invariant(headerPrefix, 'there is always a family')
    return serviceSource({ handle: feed.handle, secretId: () => feed.secretId, headerPrefix })
  }
}

function instantOf(ms: number | undefined): string {
  return ms === undefined ? ZERO_TIME : formatInstant(ms)
}
