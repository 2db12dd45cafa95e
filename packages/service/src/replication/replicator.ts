/** Keeps the global records of a secondary datacenter equal to the primary's. Decisions: replication. */
import type { Clock, Random } from '@latchkey/acl'
import type { Sleeper } from '../store/memory-store.ts'
import { type Store, StoreConflict } from '../store/store.ts'
import { readCursor } from './apply/commit-received.ts'
import { BrokenAnswer, messageOf } from './apply/received.ts'
import { Audit, type AuditResult } from './audit.ts'
import type { ChangesSource } from './changes-source.ts'
import { Paused } from './pause.ts'
import { Primary } from './primary.ts'
import type { ReplicationProgress, ReplicationState, ReplicationStep } from './progress.ts'
import { STAGING_LIMITS, StagingFull, type StagingLimits } from './repair/staging.ts'
import { Rounds } from './rounds.ts'

export interface ReplicatorOptions {
  readonly store: Store
  readonly source: ChangesSource
  readonly clock: Clock
  /** Timers of {@link Replicator.run}. */
  readonly sleeper: Sleeper
  /** Adds jitter to retries. */
  readonly random: Random
  readonly primaryDatacenter: string
  /** `withoutTokens`: only policies, roles and namespaces. */
  readonly kinds: 'all' | 'withoutTokens'
  /** Called after each step of {@link Replicator.run}. */
  readonly onStep?: (step: ReplicationStep) => void
  /** Memory bounds of a repair. */
  readonly staging?: StagingLimits
}

/** Pause between two requests, so that a busy primary can serve others. */
const PAUSE_MS = 20
const RETRY_MS_MIN = 500
/** A failed attempt costs the primary little, so it is retried soon, and this datacenter catches up quickly. */
const RETRY_MS_MAX = 1_500
/** A refused answer costs the primary as much as any other, so the retry waits longer. */
const REFUSED_RETRY_MS_MAX = 60_000
/** After this many conflicts in a row, the stored records must have diverged, and a repair follows. */
const CONFLICTS_MAX = 3

export class Replicator {
  private readonly options: ReplicatorOptions
  private readonly primary: Primary
  private readonly rounds: Rounds
  private readonly audit: Audit
  private failures = 0
  private conflicts = 0
  private state: ReplicationState = 'waiting'
  private pausedBy: string | undefined
  private lastSuccess: number | undefined
  private lastError: number | undefined
  private lastErrorMessage: string | undefined
  private caughtUpAt: number | undefined
  private wake: () => void = () => {}

  constructor(options: ReplicatorOptions) {
    this.options = options
    this.primary = new Primary(options)
    this.audit = new Audit(options)
    this.rounds = new Rounds({
      ...options,
      primary: this.primary,
      staging: options.staging ?? STAGING_LIMITS,
    })
  }

  /** Sends one request to the primary and applies the answer. Never rejects: a failure is also a step. */
  async step(signal: AbortSignal): Promise<ReplicationStep> {
    try {
      // After a start or a failure, does not wait for a change, to learn immediately whether the primary answers.
      const isLate = this.failures > 0 || this.lastSuccess === undefined
      const { outcome, counts } = await this.rounds.next(signal, isLate)
      if (outcome === 'paused') return { outcome, waitMs: REFUSED_RETRY_MS_MAX }
      const now = this.options.clock.now()
      this.failures = 0
      this.conflicts = 0
      this.pausedBy = undefined
      this.lastSuccess = now
      this.state = outcome === 'copied' ? 'copying' : 'following'
      if (outcome !== 'copied') this.caughtUpAt = now
      const audit = await this.audited(signal)
      return { outcome, waitMs: PAUSE_MS, ...(counts ? { counts } : {}), ...(audit ? { audit } : {}) }
    } catch (error) {
      return this.fail(error)
    }
  }

  /** Takes steps until the signal is aborted, or an operator makes this datacenter the primary. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const step = await this.step(signal)
      if (signal.aborted) return
      this.options.onStep?.(step)
      if (step.outcome === 'ended') return
      await this.pause(step, signal)
    }
  }

  /** Ends the wait after a failure, for example because the replication token has changed. */
  retryNow(): void {
    this.wake()
  }

  status(): ReplicationProgress {
    const { clock, store } = this.options
    const { primary, state } = this
    const index = readCursor(store).record?.index ?? 0
    const isCurrent = state === 'following' && !primary.isOverdue
    return {
      state: state === 'following' && !isCurrent ? 'waiting' : state,
      pausedBy: this.pausedBy,
      lastSuccess: this.lastSuccess,
      lastError: this.lastError,
      lastErrorMessage: this.lastErrorMessage,
      primaryIndex: primary.index,
      primaryCluster: primary.cluster,
      index,
      lagIndex: Math.max(0, primary.index - index),
      lagMs: isCurrent ? 0 : this.caughtUpAt === undefined ? undefined : clock.now() - this.caughtUpAt,
      clockOffsetMs: primary.clockOffsetMs,
      copied: this.rounds.copied,
    }
  }

  /** Begins an audit if one is due, and starts a repair if an earlier one found differences. */
  private async audited(signal: AbortSignal): Promise<AuditResult | undefined> {
    const { record } = readCursor(this.options.store)
    if (this.state === 'following' && record) await this.audit.begin(record, signal)
    const result = this.audit.takeResult()
    if (result && result.length > 0) this.rounds.repairNext()
    return result
  }

  private fail(error: unknown): ReplicationStep {
    const isPaused = error instanceof Paused || error instanceof BrokenAnswer || error instanceof StagingFull
    if (error instanceof StoreConflict) {
      this.conflicts += 1
      if (this.conflicts >= CONFLICTS_MAX) this.rounds.repairNext()
    }
    if (isPaused) this.rounds.dropRepair()
    this.state = isPaused ? 'paused' : this.rounds.isRepairing ? 'copying' : 'waiting'
    this.pausedBy = isPaused ? messageOf(error) : undefined
    this.lastError = this.options.clock.now()
    this.lastErrorMessage = isPaused ? `replication paused: ${messageOf(error)}` : messageOf(error)
    const max = isPaused ? REFUSED_RETRY_MS_MAX : RETRY_MS_MAX
    const waitMs = this.jittered(Math.min(max, RETRY_MS_MIN * 2 ** Math.min(this.failures, 16)))
    this.failures += 1
    return { outcome: isPaused ? 'paused' : 'failed', waitMs, error }
  }

  private jittered(ms: number): number {
    const [byte = 0] = this.options.random.bytes(1)
    return Math.round((ms * (byte + 1)) / 256)
  }

  /** Waits before the next step. While replication is paused, an operator's consent ends the wait. */
  private async pause({ outcome, waitMs }: ReplicationStep, signal: AbortSignal): Promise<void> {
    const { store, sleeper } = this.options
    const woken = new AbortController()
    this.wake = () => woken.abort()
    const wait = AbortSignal.any([signal, woken.signal])
    if (outcome === 'paused') await store.wait('system', store.tableIndex('system'), waitMs, wait)
    else await sleep(sleeper, waitMs, wait)
  }
}

function sleep(sleeper: Sleeper, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = sleeper.after(ms, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    if (signal.aborted) end()
    signal.addEventListener('abort', end)
  })
}
