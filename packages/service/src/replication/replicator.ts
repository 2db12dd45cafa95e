/** Keeps the global records of a secondary datacenter equal to the primary's. Decisions: replication. */
import type { Random } from '@latchkey/acl'
import type { Sleeper } from '../store/memory-store.ts'
import { StoreConflict } from '../store/store.ts'
import { readCursor } from './apply/commit-received.ts'
import { BrokenAnswer, messageOf } from './apply/received.ts'
import { COPY_LIMITS, type CopyLimits } from './copy.ts'
import { Paused, Primary, type PrimaryOptions } from './primary.ts'
import { type Round, Rounds } from './rounds.ts'

export interface ReplicatorOptions extends PrimaryOptions {
  readonly sleeper: Sleeper
  readonly random: Random
  readonly onStep?: (step: ReplicationStep) => void
  readonly copyLimits?: CopyLimits
}

/**
 * `copying`: a copy is in progress. `following`: the last request was answered, or is not yet overdue. `waiting`: the primary
 * does not answer. `paused`: its answer must not be applied; stored records stay unchanged.
 */
type ReplicationState = 'copying' | 'following' | 'waiting' | 'paused'

export interface ReplicationProgress {
  readonly state: ReplicationState
  /** Why replication is paused: a text for operators. */
  readonly pausedBy: string | undefined
  /** When the primary last sent an applicable answer, in milliseconds since the epoch. */
  readonly lastSuccess: number | undefined
  readonly lastError: number | undefined
  readonly lastErrorMessage: string | undefined
  readonly primaryIndex: number
  readonly primaryCluster: string | undefined
  /** Commit index of the primary up to which records are stored here; 0 until the first copy is complete. */
  readonly index: number
  readonly lagIndex: number
  /** For how long the stored records may have been out of date; `undefined` if this process has never seen them up to date. */
  readonly lagMs: number | undefined
  /** The primary's clock minus the local clock, at its last answer. */
  readonly clockOffsetMs: number | undefined
  /** Records that the last copy has read. */
  readonly copied: number
}

export interface ReplicationStep extends Omit<Round, 'outcome'> {
  /** As in {@link Round}, or `failed`: see {@link ReplicationProgress}. */
  readonly outcome: Round['outcome'] | 'failed'
  readonly waitMs: number
  readonly error?: unknown
}

/** Pause between two requests, so that a busy primary can serve others. */
const PAUSE_MS = 20
const RETRY_MS_MIN = 500
/** A failed attempt costs the primary little, so it is retried soon, and this datacenter catches up quickly. */
const RETRY_MS_MAX = 1_500
/** A refused answer costs the primary as much as any other, so the retry waits longer. */
const REFUSED_RETRY_MS_MAX = 60_000
/** After this many conflicts in a row, the stored records must have diverged, and a copy follows. */
const CONFLICTS_MAX = 3

export class Replicator {
  private readonly options: ReplicatorOptions
  private readonly primary: Primary
  private readonly rounds: Rounds
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
    this.rounds = new Rounds({ copyLimits: COPY_LIMITS, ...options, primary: this.primary })
  }

  /** Sends one request to the primary and applies the answer. Never rejects: a failure is also a step. */
  async step(signal: AbortSignal): Promise<ReplicationStep> {
    try {
      // After a start or a failure, does not wait for a change, to learn immediately whether the primary answers.
      const isLate = this.failures > 0 || this.lastSuccess === undefined
      const round = await this.rounds.next(signal, isLate)
      const { outcome } = round
      if (outcome === 'paused') return { outcome, waitMs: REFUSED_RETRY_MS_MAX }
      const now = this.options.clock.now()
      this.failures = 0
      this.conflicts = 0
      this.pausedBy = undefined
      this.lastSuccess = now
      this.state = outcome === 'copied' && this.rounds.way !== 'check' ? 'copying' : 'following'
      if (outcome !== 'copied') this.caughtUpAt = now
      return { ...round, waitMs: PAUSE_MS }
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

  private fail(error: unknown): ReplicationStep {
    const isPaused = error instanceof Paused || error instanceof BrokenAnswer
    if (error instanceof StoreConflict) {
      this.conflicts += 1
      if (this.conflicts >= CONFLICTS_MAX) this.rounds.copyNext()
    }
    if (isPaused) this.rounds.dropCopy()
    const isCopying = this.rounds.way !== undefined && this.rounds.way !== 'check'
    this.state = isPaused ? 'paused' : isCopying ? 'copying' : 'waiting'
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
