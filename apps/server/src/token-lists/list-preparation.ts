/**
 * Writes the list that managers request to its file in advance: at the end of the process or, if that would take too long, while
 * the process is idle. Decisions: kept lists.
 */
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { TokenListRequest } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import { type CachedTokenLists, versionOf } from './cached-token-lists.ts'
import type { Preparation } from './kept/kept-lists.ts'

interface ListPreparationOptions {
  readonly lists: CachedTokenLists
  /** Returns the list as it is to be now. */
  readonly request: () => TokenListRequest
  readonly log: BaseLogger
  /** How many tokens are read at the end of the process. Default: 150,000. */
  readonly lastTokensMax?: number
}

const LOOK_MS = 10_000
/** A process that was busy for more than this fraction of the time since the last look has other things to do. */
const BUSY_SHARE_MAX = 0.5
/** Minimum time between two preparations, in milliseconds, and as a multiple of the time that the last one took. */
const PAUSE_MS = 60_000
const PAUSE_FACTOR = 100
const LAST_TOKENS_MAX = 150_000
/** At the end of the process, a preparation that takes longer is given up. */
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

  /** A round of a job. @returns milliseconds until the next. */
  async round(signal: AbortSignal): Promise<number> {
    const isBusy = this.isBusy()
    const request = this.request()
    const version = versionOf(request)
    if (isBusy || version === this.prepared) return LOOK_MS
    const startedAt = performance.now()
    // A shorter list waits for the end of the process, because reading many tokens enlarges a process for good.
    if (await this.prepare(request, { signal, tokensMin: this.lastTokensMax + 1 })) this.prepared = version
    const ms = performance.now() - startedAt
    return Math.max(PAUSE_MS, ms * PAUSE_FACTOR)
  }

  /** Prepares the list a last time, if that takes a few seconds at most. */
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
    // At the first look the process is starting.
    return last === undefined || performance.eventLoopUtilization(now, last).utilization > BUSY_SHARE_MAX
  }
}
