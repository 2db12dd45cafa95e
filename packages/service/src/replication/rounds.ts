/** Sends one request at a time to the primary, for the first copy, following, or a repair. Decisions: replication. */
import type { Clock, ReplicationRecord, SkippedToken } from '@latchkey/acl'
import type { Store } from '../store/store.ts'
import { readCursor, type StoredCursor } from './apply/commit-received.ts'
import { isEmpty, isHolder, requireAccepted, requireNewer, requireNoPrimary } from './apply/conditions.ts'
import type { Received, ReceivedAnswer } from './apply/received.ts'
import { FirstCopy } from './first-copy.ts'
import { LegacyCopies } from './legacy-copies.ts'
import { Paused } from './pause.ts'
import type { Primary } from './primary.ts'
import { Staging, StagingFull, type StagingLimits } from './repair/staging.ts'
import {
  ALL,
  applyReceived,
  changesSince,
  countOf,
  type FollowedKinds,
  markOf,
  NO_WAIT_MS,
  type Round,
} from './round.ts'

interface RoundsOptions extends FollowedKinds {
  readonly store: Store
  readonly primary: Primary
  readonly clock: Clock
  readonly staging: StagingLimits
}

/** How long the primary may wait for a change. An answer arrives within 15 s, because firewalls drop idle connections. */
const WAIT_MS = 14_000
/** The same while a local record conflicts with one of the primary. */
const SHORT_WAIT_MS = 2_000
/** How often a refused repair is retried without consent. */
const REFUSED_MS = 600_000

export class Rounds {
  private readonly options: RoundsOptions
  private staging: Staging | undefined
  private needsRepair = false
  /** The repair that needs consent, and when it is retried without. */
  private refused: { readonly cluster: string; readonly until: number } | undefined
  private readonly legacyCopies: LegacyCopies
  /** Token index at the last search for conflicting local tokens. */
  private holdersSeenAt: number | undefined
  private readonly firstCopy: FirstCopy
  /** Number of records in the current repair. */
  private compared = 0

  constructor(options: RoundsOptions) {
    this.options = options
    this.legacyCopies = new LegacyCopies(options)
    this.firstCopy = new FirstCopy({ ...options, legacyCopies: this.legacyCopies })
  }

  /** Number of records in the current copy or repair. */
  get copied(): number {
    return this.compared + this.firstCopy.count
  }

  get isRepairing(): boolean {
    return this.staging !== undefined
  }

  /** Drops a repair in progress. */
  dropRepair(): void {
    this.staging = undefined
  }

  /** Requests a comparison of all records next. */
  repairNext(): void {
    this.needsRepair = true
  }

  /**
   * Sends one request and applies the answer.
   *
   * @param isAtOnce whether the primary must answer immediately, without waiting for a change.
   * @throws StoreConflict, BrokenAnswer, Paused, StagingFull, and what the source and the store throw.
   */
  async next(signal: AbortSignal, isAtOnce: boolean): Promise<Round> {
    const { store } = this.options
    await store.refresh('default')
    const own = store.directory().system('cluster')?.Value
    if (own?.promoted !== undefined) return { outcome: 'ended' }
    const cursor = readCursor(store)
    try {
      return await this.ask(cursor, signal, isAtOnce)
    } catch (error) {
      const { staging } = this
      if (!(error instanceof StagingFull) || staging === undefined) throw error
      this.staging = undefined
      return this.withoutStaging(staging, cursor, error)
    }
  }

  /** Handles a repair that takes too much memory. A new secondary copies in slices, and an operator may let it start over. */
  private async withoutStaging(
    { cluster }: Staging,
    cursor: StoredCursor,
    error: StagingFull,
  ): Promise<Round> {
    const { store, clock } = this.options
    const { record } = cursor
    if ((record?.index ?? 0) === 0 && (await isEmpty(store))) {
      this.legacyCopies.areTooMany = true
      return { outcome: 'copied' }
    }
    if (record?.accepted === cluster) {
      this.needsRepair = false
      this.refused = undefined
      return this.firstCopy.startOver(cluster, cursor)
    }
    this.refused = { cluster, until: clock.now() + REFUSED_MS }
    throw error
  }

  private async ask(cursor: StoredCursor, signal: AbortSignal, isAtOnce: boolean): Promise<Round> {
    const { store, kinds } = this.options
    if (this.staging?.fence !== cursor.fence) this.staging = undefined
    if (this.staging) return this.repair(this.staging, cursor, signal)
    const { record } = cursor
    if (record?.startsOver === 'deleting') return this.firstCopy.deleteNext(record, cursor.fence)
    if (record === undefined || record.index === 0) {
      const isBegun = record?.copy !== undefined || record?.startsOver !== undefined
      const isOther = record?.copy !== undefined && isOfOtherKinds(record, kinds)
      const isInSlices =
        !isOther && (isBegun || ((await isEmpty(store)) && (await this.legacyCopies.mayGoInSlices())))
      const copied = isInSlices ? await this.firstCopy.next(cursor, signal) : undefined
      return copied ?? this.beginRepair(cursor, signal)
    }
    const isOther = isOfOtherKinds(record, kinds)
    if (this.needsRepair || this.legacyCopies.areDue || isOther || this.isLedElsewhere(record)) {
      return this.beginRepair(cursor, signal)
    }
    return this.follow(record, cursor, { signal, isAtOnce })
  }

  /**
   * Whether an operator has accepted another store, and the last answer did not come from the store of the records here. A
   * primary that was superseded refuses its successor's index, but not a copy.
   */
  private isLedElsewhere({ accepted, cluster }: ReplicationRecord): boolean {
    return accepted !== undefined && this.options.primary.cluster !== cluster
  }

  private async follow(
    record: ReplicationRecord,
    cursor: StoredCursor,
    { signal, isAtOnce }: { readonly signal: AbortSignal; readonly isAtOnce: boolean },
  ): Promise<Round> {
    const { store, primary, clock, staging } = this.options
    const isHeld = record.skipped.some(({ heldBy }) => heldBy !== undefined)
    if (isHeld && (await this.isSomeHolderGone(record.skipped))) return this.beginRepair(cursor, signal)
    const holdsCopies = await this.legacyCopies.areHeld()
    const isShort = isHeld || holdsCopies || record.keptNamespaces !== undefined
    const waitMs = this.refused || isAtOnce ? NO_WAIT_MS : isShort ? SHORT_WAIT_MS : WAIT_MS
    const query = changesSince(record, waitMs)
    const { answer } = await primary.ask(query, waitMs, signal)
    if (answer.isReset || answer.cluster !== record.cluster) {
      requireAccepted(record, answer)
      const isRefused = this.refused?.cluster === answer.cluster && clock.now() < this.refused.until
      if (isRefused && record.accepted !== answer.cluster) return { outcome: 'paused' }
      return this.beginRepair(cursor, signal)
    }
    this.refused = undefined
    // Ignores an older answer that arrives late.
    if (answer.index < record.index) return { outcome: 'unchanged' }
    if (answer.hasMore) {
      const begin = { cluster: record.cluster, fence: cursor.fence, index: record.index, hasPages: false }
      this.compared = 0
      this.firstCopy.count = 0
      this.staging = new Staging(begin, staging)
      return this.stage(this.staging, answer, cursor)
    }
    const next = { ...record, index: answer.index }
    const lookUp = holdsCopies ? 'all' : { older: record.index }
    const round = await applyReceived(store, answer, next, { fence: cursor.fence, lookUp, isSlice: false })
    await this.legacyCopies.afterAnswer(answer.withoutAccessor, record.accepted === record.cluster)
    return round
  }

  /** Whether a local token that conflicted with a global one is gone. */
  private async isSomeHolderGone(skipped: readonly SkippedToken[]): Promise<boolean> {
    const { store } = this.options
    const index = store.tableIndex('tokens')
    if (index === this.holdersSeenAt) return false
    for (const { heldBy } of skipped) {
      if (heldBy !== undefined && !(await isHolder(store, heldBy))) return true
    }
    this.holdersSeenAt = index
    return false
  }

  private async beginRepair({ record, fence }: StoredCursor, signal: AbortSignal): Promise<Round> {
    const { store, primary, staging: limits } = this.options
    this.compared = 0
    this.firstCopy.count = 0
    this.legacyCopies.areDue = false
    const { answer, nextCursor } = await primary.ask({}, 0, signal)
    if (record && record.index > 0) requireAccepted(record, answer)
    else if (record?.accepted !== answer.cluster) await requireNoPrimary(store, answer)
    const begin = { cluster: answer.cluster, fence, index: answer.index, hasPages: true }
    const staging = new Staging(begin, limits)
    this.staging = staging
    await this.addPage(staging, answer, nextCursor)
    return { outcome: 'copied' }
  }

  private async repair(staging: Staging, cursor: StoredCursor, signal: AbortSignal): Promise<Round> {
    const { primary } = this.options
    const { cluster } = staging
    const query =
      staging.cursor === undefined ? changesSince(staging, NO_WAIT_MS) : { cursor: staging.cursor }
    const { answer, nextCursor } = await primary.ask(query, NO_WAIT_MS, signal)
    const isLatePage = staging.cursor !== undefined && answer.index < staging.index
    if (answer.isReset || answer.cluster !== cluster || isLatePage) {
      this.staging = undefined
      return { outcome: 'copied' }
    }
    if (staging.cursor === undefined) {
      requireNewer(answer, staging)
      return this.stage(staging, answer, cursor)
    }
    await this.addPage(staging, answer, nextCursor)
    return { outcome: 'copied' }
  }

  private async addPage(staging: Staging, page: Received, nextCursor: string | undefined): Promise<void> {
    await staging.addPage(page, this.options.store)
    staging.cursor = nextCursor
    this.compared += countOf(page)
  }

  private async stage(
    staging: Staging,
    answer: ReceivedAnswer,
    { record, fence }: StoredCursor,
  ): Promise<Round> {
    const { store, clock } = this.options
    staging.addChanges(answer)
    staging.index = answer.index
    // A first copy deletes no legacy copies, because consent would be needed before any record is here.
    staging.allHaveAccessors = answer.withoutAccessor === 0 && (record?.index ?? 0) > 0
    if (answer.hasMore) return { outcome: 'copied' }
    const differences = await staging.differences(store)
    this.staging = undefined
    const isAccepted = record?.accepted === staging.cluster
    const objection = isAccepted ? undefined : await staging.objection(differences, store, this.options.kinds)
    if (objection !== undefined) {
      this.legacyCopies.keep()
      this.refused = { cluster: staging.cluster, until: clock.now() + REFUSED_MS }
      throw new Paused(objection)
    }
    const { copy: _, accepted, withoutTokens: __, ...before } = record ?? { skipped: [] }
    const next: ReplicationRecord = {
      ...before,
      cluster: staging.cluster,
      index: staging.index,
      // A repair finds every conflict again.
      ...(staging.hasPages ? { skipped: [], keptNamespaces: [] } : {}),
      ...markOf(this.options),
      ...(accepted === undefined || isAccepted ? {} : { accepted }),
    }
    const round = await applyReceived(store, differences, next, { fence, lookUp: ALL, isSlice: false })
    await this.legacyCopies.afterAnswer(answer.withoutAccessor, isAccepted)
    this.needsRepair = false
    this.refused = undefined
    return round
  }
}

/** Whether token replication was turned on or off since the last answer. */
function isOfOtherKinds({ withoutTokens }: ReplicationRecord, kinds: FollowedKinds['kinds']): boolean {
  return (withoutTokens === true) !== (kinds === 'withoutTokens')
}
