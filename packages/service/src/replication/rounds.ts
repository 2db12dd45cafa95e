/** One question to the primary at a time: first copy, following, repair. Decisions: replication. */
import type { Clock, ClusterRecord, ReplicationRecord, SkippedToken } from '@latchkey/acl'
import type { Store } from '../store/store.ts'
import type { AppliedCounts } from './apply/changes-for.ts'
import { type CommitOptions, commitReceived, readCursor, type StoredCursor } from './apply/commit-received.ts'
import { isEmpty, isHolder, requireAccepted, requireNewer, requireNoPrimary } from './apply/conditions.ts'
import type { Received, ReceivedAnswer } from './apply/received.ts'
import type { ChangesQuery } from './changes-source.ts'
import { LegacyCopies } from './legacy-copies.ts'
import { Paused } from './pause.ts'
import type { Primary } from './primary.ts'
import { Staging, StagingFull, type StagingLimits } from './repair/staging.ts'

/** What a question came to. */
export interface Round {
  /** `copied`: a part of a copy or repair; see {@link ReplicationStep}. */
  readonly outcome: 'applied' | 'unchanged' | 'copied' | 'paused' | 'ended'
  readonly counts?: AppliedCounts | undefined
}

export interface RoundsOptions {
  readonly store: Store
  readonly primary: Primary
  readonly clock: Clock
  readonly kinds: 'all' | 'withoutTokens'
  readonly staging: StagingLimits
}

/** How long the primary may wait for a change: an answer comes within 15 s, as firewalls drop connections that are idle. */
const WAIT_MS = 14_000
/** The same while something here stands in the way of what the primary has. */
const SHORT_WAIT_MS = 2_000
/** The same where an answer is needed at once. */
const NO_WAIT_MS = 1
/** How often a repair that was refused is tried without consent. */
const REFUSED_MS = 600_000
const ALL = { older: Number.POSITIVE_INFINITY } as const
const NONE = { older: -1 } as const

export class Rounds {
  private readonly options: RoundsOptions
  private staging: Staging | undefined
  private needsRepair = false
  /** The repair that needs consent, and when it is tried without. */
  private refused: { readonly cluster: string; readonly until: number } | undefined
  private readonly legacyCopies: LegacyCopies
  /** Index of the tokens when Local ones that stand in the way were last looked for. */
  private holdersSeenAt: number | undefined
  /** Records of the copy or repair in progress. */
  copied = 0

  constructor(options: RoundsOptions) {
    this.options = options
    this.legacyCopies = new LegacyCopies(options)
  }

  get isRepairing(): boolean {
    return this.staging !== undefined
  }

  /** Drops a repair in progress. */
  dropRepair(): void {
    this.staging = undefined
  }

  /** Compares everything next. */
  repairNext(): void {
    this.needsRepair = true
  }

  /**
   * Asks once, and applies the answer.
   *
   * @param isAtOnce do not wait for a change.
   * @throws StoreConflict, BrokenAnswer, Paused, StagingFull, and what the source and the store throw.
   */
  async next(signal: AbortSignal, isAtOnce: boolean): Promise<Round> {
    const { store, kinds } = this.options
    await store.refresh('default')
    const own = store.directory().system('cluster')?.Value as ClusterRecord | undefined
    if (own?.promoted !== undefined) return { outcome: 'ended' }
    const cursor = readCursor(store)
    if (this.staging?.fence !== cursor.fence) this.staging = undefined
    if (this.staging) return this.repair(this.staging, cursor, signal)
    const { record } = cursor
    if (record?.copy) return this.copy(record.copy, cursor, signal)
    if (record === undefined || record.index === 0) {
      const isInSlices = (await isEmpty(store)) && (await this.legacyCopies.mayGoInSlices())
      return isInSlices ? this.copy(undefined, cursor, signal) : this.beginRepair(cursor, signal)
    }
    const isOtherKind = (record.withoutTokens === true) !== (kinds === 'withoutTokens')
    if (this.needsRepair || this.legacyCopies.areDue || isOtherKind || this.isLedElsewhere(record)) {
      return this.beginRepair(cursor, signal)
    }
    return this.follow(record, cursor, { signal, isAtOnce })
  }

  /**
   * Whether an operator lets another store replace what is here, and the primary did not last answer as the followed one. The
   * primary of before a promotion refuses the index of its successor, but not a copy.
   */
  private isLedElsewhere({ accepted, cluster }: ReplicationRecord): boolean {
    return accepted !== undefined && this.options.primary.cluster !== cluster
  }

  private async follow(
    record: ReplicationRecord,
    cursor: StoredCursor,
    { signal, isAtOnce }: { readonly signal: AbortSignal; readonly isAtOnce: boolean },
  ): Promise<Round> {
    const { primary, clock, staging } = this.options
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
    // An older answer that comes late changes nothing.
    if (answer.index < record.index) return { outcome: 'unchanged' }
    if (answer.hasMore) {
      const begin = { cluster: record.cluster, fence: cursor.fence, index: record.index, hasPages: false }
      this.copied = 0
      this.staging = new Staging(begin, staging)
      return this.stage(this.staging, answer, cursor)
    }
    const next = { ...record, index: answer.index }
    const lookUp = holdsCopies ? 'all' : { older: record.index }
    const round = await this.apply(answer, next, { fence: cursor.fence, lookUp, isSlice: false })
    await this.legacyCopies.afterAnswer(answer.withoutAccessor, record.accepted === record.cluster)
    return round
  }

  /** Whether a Local token that stands in the way of a global one is gone. */
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

  /**
   * A page of the first copy, or what has changed since its first page. Pages are of different moments, and stored as they
   * come: until the copy is complete, none of it is used.
   */
  private async copy(
    begun: ReplicationRecord['copy'],
    cursor: StoredCursor,
    signal: AbortSignal,
  ): Promise<Round> {
    const { primary } = this.options
    const { record, fence } = cursor
    const { skipped = [], keptNamespaces = [] } = record ?? {}
    const kept = { skipped, keptNamespaces, ...this.kinds() }
    if (begun?.cursor !== '') {
      const { answer, nextCursor = '' } = await primary.ask(begun ? { cursor: begun.cursor } : {}, 0, signal)
      // The primary is another one, or it went back.
      const isOther = begun && (answer.cluster !== record?.cluster || answer.index < begun.index)
      if (isOther) return this.beginRepair(cursor, signal)
      const copy = { index: begun?.index ?? answer.index, cursor: nextCursor }
      const next: ReplicationRecord = { cluster: answer.cluster, index: 0, copy, ...kept }
      const lookUp = (await this.legacyCopies.areHeld()) ? 'all' : NONE
      const { counts } = await this.apply(answer, next, { fence, lookUp, isSlice: true })
      this.count(answer)
      return { outcome: 'copied', counts }
    }
    const cluster = record?.cluster ?? ''
    const query = changesSince({ index: begun.index, cluster }, NO_WAIT_MS)
    const { answer } = await primary.ask(query, NO_WAIT_MS, signal)
    if (answer.isReset || answer.cluster !== cluster) return this.beginRepair(cursor, signal)
    requireNewer(answer, begun)
    const complete: ReplicationRecord = { cluster, index: answer.index, ...kept }
    if (!answer.hasMore) {
      const round = await this.apply(answer, complete, { fence, lookUp: ALL, isSlice: false })
      await this.legacyCopies.afterAnswer(answer.withoutAccessor, false)
      return round
    }
    const next = { ...complete, index: 0, copy: { index: answer.index, cursor: '' } }
    const { counts } = await this.apply(answer, next, { fence, lookUp: ALL, isSlice: true })
    return { outcome: 'copied', counts }
  }

  private async beginRepair({ record, fence }: StoredCursor, signal: AbortSignal): Promise<Round> {
    const { store, primary, staging: limits } = this.options
    this.copied = 0
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
    const { store } = this.options
    try {
      await staging.addPage(page, store)
    } catch (error) {
      const isFirst = (readCursor(store).record?.index ?? 0) === 0
      if (!(error instanceof StagingFull && isFirst && (await isEmpty(store)))) throw error
      this.legacyCopies.areTooMany = true
      this.staging = undefined
      return
    }
    staging.cursor = nextCursor
    this.count(page)
  }

  private async stage(
    staging: Staging,
    answer: ReceivedAnswer,
    { record, fence }: StoredCursor,
  ): Promise<Round> {
    const { store, clock } = this.options
    staging.addChanges(answer)
    staging.index = answer.index
    // A first copy deletes no legacy copy: it would need consent before anything is there.
    staging.allHaveAccessors = answer.withoutAccessor === 0 && (record?.index ?? 0) > 0
    if (answer.hasMore) return { outcome: 'copied' }
    const differences = await staging.differences(store)
    this.staging = undefined
    const isAccepted = record?.accepted === staging.cluster
    const objection = isAccepted ? undefined : await staging.objection(differences, store)
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
      // A repair meets everything again.
      ...(staging.hasPages ? { skipped: [], keptNamespaces: [] } : {}),
      ...this.kinds(),
      ...(accepted === undefined || isAccepted ? {} : { accepted }),
    }
    const round = await this.apply(differences, next, { fence, lookUp: ALL, isSlice: false })
    await this.legacyCopies.afterAnswer(answer.withoutAccessor, isAccepted)
    this.needsRepair = false
    this.refused = undefined
    return round
  }

  private async apply(received: Received, next: ReplicationRecord, options: CommitOptions): Promise<Round> {
    const counts = await commitReceived(this.options.store, received, next, options)
    const isChange = Object.values(counts ?? {}).some(({ put, deleted }) => put + deleted > 0)
    return { outcome: isChange ? 'applied' : 'unchanged', counts }
  }

  private count({ namespaces, policies, roles, tokens }: Received): void {
    this.copied += namespaces.length + policies.length + roles.length + tokens.length
  }

  private kinds(): { readonly withoutTokens?: true } {
    return this.options.kinds === 'withoutTokens' ? { withoutTokens: true } : {}
  }
}

function changesSince(
  { index, cluster }: Pick<ReplicationRecord, 'index' | 'cluster'>,
  waitMs: number,
): ChangesQuery {
  return { index, cluster, wait: `${waitMs}ms`, staged: true }
}
