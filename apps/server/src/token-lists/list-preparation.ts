/**
 * Writes the list that managers request to its file in advance: when the process ends or, if that would take too long,
 * while it is idle. Decisions: kept lists.
 */
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { TokenListRequest } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import { type CachedTokenLists, versionOf } from './cached-token-lists.ts'
import type { Preparation } from './kept/kept-lists.ts'

interface ListPreparationOptions {
  readonly lists: CachedTokenLists
  /** Returns the request for the list in its current form. */
  readonly request: () => TokenListRequest
  readonly log: BaseLogger
  /** Maximum tokens to read when the process ends. Default: 150,000. */
  readonly lastTokensMax?: number
}

const LOOK_MS = 10_000
/** A process that was busy for more than this fraction of the time since the last check is not idle. */
const BUSY_SHARE_MAX = 0.5
/** Minimum pause between two preparations: in milliseconds, and as a multiple of the duration of the last one. */
const PAUSE_MS = 60_000
const PAUSE_FACTOR = 100
const LAST_TOKENS_MAX = 150_000
/** When the process ends, a preparation that takes longer is abandoned. */
const LAST_MS_MAX = 5_000

export class ListPreparation {
  private readonly lists: CachedTokenLists
  private readonly request: () => TokenListRequest
  private readonly log: BaseLogger
  private readonly lastTokensMax: number
  private lastUse: EventLoopUtilization | undefined
  /** The version of the list at the last preparation. */
  private prepared = ''

  constructor({ lists, request, log, lastTokensMax = LAST_TOKENS_MAX }: ListPreparationOptions) {
    this.lists = lists
    this.request = request
    this.log = log
    this.lastTokensMax = lastTokensMax
  }

  /** A round of the job. @returns milliseconds until the next round. */
  async round(signal: AbortSignal): Promise<number> {
    const isBusy = this.isBusy()
    const request = this.request()
    const version = versionOf(request)
    if (isBusy || version === this.prepared) return LOOK_MS
    const startedAt = performance.now()
    // A shorter list waits until the process ends, because reading many tokens increases the memory of a process
    // permanently.
    if (await this.prepare(request, { signal, tokensMin: this.lastTokensMax + 1 })) this.prepared = version
    const ms = performance.now() - startedAt
    return Math.max(PAUSE_MS, ms * PAUSE_FACTOR)
  }

  /** Prepares the list a last time, if that takes at most a few seconds. */
  async finish(): Promise<void> {
    const signal = AbortSignal.timeout(LAST_MS_MAX)
    await this.prepare(this.request(), { signal, tokensMax: this.lastTokensMax, isUrgent: true })
  }

  /** @returns false if it failed. */
  private async prepare(request: TokenListRequest, preparation: Preparation): Promise<boolean> {
    try {
      await this.lists.prepare(request, preparation)
      return true
    } catch (error) {
      this.log.warn({ err: error }, 'the list of tokens could not be prepared')
      return false
    }
  }

  private isBusy(): boolean {
    const now = performance.eventLoopUtilization()
    const last = this.lastUse
    this.lastUse = now
    // At the first check, the process is still starting.
    return last === undefined || performance.eventLoopUtilization(now, last).utilization > BUSY_SHARE_MAX
  }
}
