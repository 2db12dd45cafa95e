/** Sends one request at a time to the primary, to follow it or for a copy. Decisions: replication. */
import { hasSeenPromotion, type ReplicationRecord, type SkippedToken } from '@latchkey/acl'
import { REPLICATED_TABLES } from '../store/replicated.ts'
import type { Store } from '../store/store.ts'
import { partsOf } from '../turns.ts'
import type { AppliedCounts } from './apply/changes-for.ts'
import { commitReceived, readCursor, type StoredCursor } from './apply/commit-received.ts'
import { NOTHING, type Received, type ReceivedAnswer } from './apply/received.ts'
import { Copy, type CopyLimits, CopyTooLarge, type CopyWay, type Drift } from './copy.ts'
import { Paused, type Primary, type PrimaryOptions } from './primary.ts'
import type { ChangesQuery } from './service-source.ts'

interface RoundsOptions extends PrimaryOptions {
  readonly primary: Primary
  readonly copyLimits: CopyLimits
}

export interface Round {
  /**
   * `applied`: a later state is stored. `unchanged`: nothing was new. `copied`: part of a copy is done. `paused`: an operator
   * must act first. `ended`: an operator made this datacenter the primary.
   */
  readonly outcome: 'applied' | 'unchanged' | 'copied' | 'paused' | 'ended'
  readonly counts?: AppliedCounts
  /** Set at the end of the daily copy: number of records that differed from the primary's, and were mended. */
  readonly mended?: Drift
}

/** How long the primary may wait for a change. An answer arrives within 15 s, because firewalls drop idle connections. */
const WAIT_MS = 14_000
/** The same while a local record conflicts with one of the primary. */
const SHORT_WAIT_MS = 2_000
/** For a request that must be answered immediately. */
const NO_WAIT_MS = 1
/** How long a refused copy is not repeated without consent. */
const REFUSED_MS = 600_000
/** Following never mends what a bug or another writer of the database changed here, so everything is copied once a day. */
const CHECK_INTERVAL_MS = 86_400_000
/** Delay of the first check: after a start, other requests are more urgent. */
const FIRST_CHECK_MS = 600_000
/** Delay after a check without a result. */
const CHECK_RETRY_MS = 60_000
/** How often a check lets the changes of the primary arrive. */
const CHECK_FOLLOWS_MS = 1_000
/** Maximum number of tokens that one commit deletes, because all other writers wait for it. */
const DELETED_TOKENS_MAX = 1_000
/** Looks up all received tokens, for records from different moments. */
const ALL = { older: Number.POSITIVE_INFINITY } as const
const NONE = { older: -1 } as const
const COPIED: Round = { outcome: 'copied' }

export class Rounds {
  private readonly options: RoundsOptions
  private copy: Copy | undefined
  copied = 0
  private isCopyDue = false
  private checkAt: number
  private followAgainAt = 0
  /** Until then, a copy that an operator must accept is not repeated. */
  private refusedUntil = 0
  /** Whether the primary has changed so that a first copy cannot continue. */
  private cannotResume = false
  /** Whether a first copy does not fit in memory. */
  private isTooLarge = false
  /** Once false, stays false: a datacenter that follows its primary gets no new copies of legacy tokens. */
  private mayHoldLegacy = true
  /** Token index at the last search for conflicting local tokens. */
  private holdersSeenAt: number | undefined

  constructor(options: RoundsOptions) {
    this.options = options
    this.checkAt = options.clock.now() + FIRST_CHECK_MS
  }

  get way(): CopyWay | undefined {
    return this.copy?.way
  }

  dropCopy(): void {
    this.copy = undefined
  }

  copyNext(): void {
    this.isCopyDue = true
  }

  /**
   * Sends one request and applies the answer.
   * @throws StoreConflict, BrokenAnswer, Paused, and what the source and the store throw.
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
      const { copy } = this
      if (!(error instanceof CopyTooLarge) || copy === undefined) throw error
      this.copy = undefined
      return this.withoutMemory(copy, cursor, error)
    }
  }

  /** @param isAtOnce whether the primary must answer immediately, without waiting for a change. */
  private async ask(cursor: StoredCursor, signal: AbortSignal, isAtOnce: boolean): Promise<Round> {
    const { record, fence } = cursor
    if (this.copy?.fence !== fence) this.copy = undefined
    const { copy } = this
    if (copy && !this.isTurnToFollow(copy)) return this.continueCopy(copy, cursor, signal)
    if (record === undefined || record.index === 0)
      return this.beginCopy(await this.wayOfFirstCopy(record), cursor, signal)
    if (this.needsCopy(record)) return this.beginCopy('whole', cursor, signal)
    if (!copy && this.mayCopy(record) && this.options.clock.now() >= this.checkAt)
      return this.beginCopy('check', cursor, signal)
    return this.follow(record, cursor, signal, isAtOnce)
  }

  /**
   * A new datacenter stores pages as they arrive, which makes clients wait until the copy is complete. If it has copies of
   * legacy tokens, they stay in use until then, unless the copy is too large for that.
   */
  private async wayOfFirstCopy(record: ReplicationRecord | undefined): Promise<CopyWay> {
    if (record?.isPartial) return 'slices'
    const isUsed = !this.isTooLarge && (await this.holdsLegacyCopies())
    return !isUsed && (await isEmpty(this.options.store)) ? 'slices' : 'whole'
  }

  /** Handles a copy that takes too much memory. An operator may let its records be written as they arrive. */
  private async withoutMemory(
    { cluster }: Copy,
    { record, fence }: StoredCursor,
    error: CopyTooLarge,
  ): Promise<Round> {
    const { store } = this.options
    if ((record?.index ?? 0) === 0 && (await isEmpty(store))) {
      this.isTooLarge = true
      return COPIED
    }
    if (record?.accepted !== cluster) {
      this.refuse()
      throw error
    }
    this.accept()
    await commitReceived(store, NOTHING, this.partial(cluster, record), { fence, lookUp: ALL, isSlice: true })
    return COPIED
  }

  /** The record while the records here are not in use. */
  private partial(cluster: string, record: ReplicationRecord | undefined): ReplicationRecord {
    return { ...this.after(cluster, 0, record), isPartial: true }
  }

  private after(cluster: string, index: number, record: ReplicationRecord | undefined): ReplicationRecord {
    const { accepted, withoutTokens: _, isPartial: __, resume: ___, ...before } = record ?? { skipped: [] }
    const isPending = accepted !== undefined && accepted !== cluster
    return {
      ...{ ...before, cluster, index },
      ...(this.options.kinds === 'withoutTokens' ? { withoutTokens: true } : {}),
      ...(isPending ? { accepted } : {}),
    }
  }

  private needsCopy(record: ReplicationRecord): boolean {
    const { primary } = this.options
    // An operator has accepted another store, and the last answer did not come from the store of the records here. A primary
    // that was superseded refuses its successor's index, but not a copy.
    const isLedElsewhere = record.accepted !== undefined && primary.cluster !== record.cluster
    return this.isOfOtherKinds(record) || isLedElsewhere || (this.isCopyDue && this.mayCopy(record))
  }

  private isOfOtherKinds({ withoutTokens }: ReplicationRecord): boolean {
    return (withoutTokens === true) !== (this.options.kinds === 'withoutTokens')
  }

  private mayCopy({ cluster, accepted }: ReplicationRecord, answered = cluster): boolean {
    return accepted === answered || this.options.clock.now() >= this.refusedUntil
  }

  private refuse(): void {
    this.isCopyDue = true
    this.refusedUntil = this.options.clock.now() + REFUSED_MS
  }

  private accept(): void {
    this.refusedUntil = 0
    this.isCopyDue = false
  }

  private async follow(
    record: ReplicationRecord,
    cursor: StoredCursor,
    signal: AbortSignal,
    isAtOnce: boolean,
  ): Promise<Round> {
    const { store, primary, copyLimits } = this.options
    const { fence } = cursor
    const isHeld = record.skipped.some(({ heldBy }) => heldBy !== undefined)
    if (isHeld && (await this.isSomeHolderGone(record.skipped)))
      return this.beginCopy('whole', cursor, signal)
    const holdsCopies = await this.holdsLegacyCopies()
    const isShort = isHeld || holdsCopies || record.keptNamespaces !== undefined
    const waitMs = this.copy || isAtOnce ? NO_WAIT_MS : isShort ? SHORT_WAIT_MS : WAIT_MS
    const { answer } = await primary.ask(changesSince(record, waitMs), waitMs, signal)
    if (answer.isReset || answer.cluster !== record.cluster) {
      requireAccepted(record, answer)
      if (!this.mayCopy(record, answer.cluster)) return { outcome: 'paused' }
      return this.beginCopy('whole', cursor, signal)
    }
    // Ignores an older answer that arrives late.
    if (answer.index < record.index) return { outcome: 'unchanged' }
    if (answer.hasMore) {
      const { cluster, index } = record
      this.copied = 0
      this.copy = new Copy({ way: 'parts', cluster, fence, index }, copyLimits)
      return this.addChanges(this.copy, answer, cursor)
    }
    const lookUp = holdsCopies ? 'all' : { older: record.index }
    const { copy } = this
    this.copy = undefined
    const next = { ...record, index: answer.index }
    const committed = await commitReceived(store, answer, next, { fence, lookUp, isSlice: false })
    if (copy) {
      copy.addChanges(answer, true)
      copy.since = answer.index
      copy.fence = committed.fence
      this.copy = copy
    }
    await this.noteLegacyCopies(answer)
    return roundOf(committed.counts)
  }

  private isTurnToFollow({ way, cursor }: Copy): boolean {
    const now = this.options.clock.now()
    if (way !== 'check' || cursor === undefined || now < this.followAgainAt) return false
    this.followAgainAt = now + CHECK_FOLLOWS_MS
    return true
  }

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

  private async beginCopy(wanted: CopyWay, cursor: StoredCursor, signal: AbortSignal): Promise<Round> {
    const { store, primary, clock, copyLimits } = this.options
    const { record, fence } = cursor
    this.copy = undefined
    this.copied = 0
    if (wanted === 'check') this.checkAt = clock.now() + CHECK_RETRY_MS
    const isContinued = wanted === 'slices' && record && !this.cannotResume && !this.isOfOtherKinds(record)
    const resume = isContinued ? record.resume : undefined
    const query = resume ? { cursor: resume.cursor } : {}
    const { answer, nextCursor } = await primary.ask(query, NO_WAIT_MS, signal)
    const { cluster, index } = answer
    if (resume && (cluster !== record?.cluster || index < resume.since)) {
      this.cannotResume = true
      return COPIED
    }
    if (record?.cluster) requireAccepted(record, answer)
    else if (record?.accepted !== cluster) await requireNoPrimary(store, answer)
    const isBehind = cluster !== record?.cluster || index < record.index
    const way = wanted === 'check' && isBehind ? 'whole' : wanted
    const since = resume?.since ?? (way === 'check' && record ? record.index : index)
    const isFirst = way === 'slices' && (record?.isPartial !== true || resume !== undefined)
    const copy = new Copy({ way, cluster, fence, index, since, isFirst }, copyLimits)
    this.copy = copy
    // A copy finds every conflict again.
    const begun =
      record && way === 'slices' && !resume ? { ...record, skipped: [], keptNamespaces: [] } : record
    return this.addPage(copy, { answer, nextCursor }, { record: begun, fence })
  }

  private async continueCopy(copy: Copy, cursor: StoredCursor, signal: AbortSignal): Promise<Round> {
    const { primary } = this.options
    const { cluster, since } = copy
    const query =
      copy.cursor === undefined
        ? changesSince({ index: since, cluster }, NO_WAIT_MS)
        : { cursor: copy.cursor }
    const { answer, nextCursor } = await primary.ask(query, NO_WAIT_MS, signal)
    if (answer.isReset || answer.cluster !== cluster || answer.index < since) {
      this.copy = undefined
      return COPIED
    }
    if (copy.cursor === undefined) return this.addChanges(copy, answer, cursor)
    return this.addPage(copy, { answer, nextCursor }, cursor)
  }

  private async addPage(
    copy: Copy,
    page: { readonly answer: ReceivedAnswer; readonly nextCursor: string | undefined },
    cursor: StoredCursor,
  ): Promise<Round> {
    const { answer, nextCursor } = page
    await copy.addPage(answer, this.options.store)
    copy.cursor = nextCursor
    copy.index = Math.max(copy.index, answer.index)
    const { namespaces, policies, roles, tokens } = answer
    this.copied += namespaces.length + policies.length + roles.length + tokens.length
    return this.addedPart(copy, cursor)
  }

  private async addChanges(copy: Copy, answer: ReceivedAnswer, cursor: StoredCursor): Promise<Round> {
    const { index, hasMore } = answer
    if (!hasMore && index < copy.index) throw new Error(`the answer is of index ${index}, which is too old`)
    copy.addChanges(answer, false)
    copy.since = index
    return hasMore ? this.addedPart(copy, cursor) : this.finish(copy, answer, cursor)
  }

  private async addedPart(copy: Copy, { record, fence }: StoredCursor): Promise<Round> {
    if (copy.way !== 'slices') return COPIED
    this.copy = undefined
    const { cluster, since, cursor, isFirst } = copy
    const resume = isFirst && cursor !== undefined ? { resume: { since, cursor } } : {}
    const next = { ...this.partial(cluster, record), ...resume }
    // Nothing is looked up in an empty store. If a record is there nevertheless, the commit conflicts and is repeated.
    const lookUp = isFirst ? NONE : ALL
    const committed = await commitReceived(this.options.store, copy.take(), next, {
      fence,
      lookUp,
      isSlice: true,
    })
    copy.fence = committed.fence
    this.copy = copy
    return { ...roundOf(committed.counts), ...COPIED }
  }

  private async finish(
    copy: Copy,
    { index, withoutAccessor }: ReceivedAnswer,
    cursor: StoredCursor,
  ): Promise<Round> {
    const { store, clock, kinds } = this.options
    const { record } = cursor
    this.copy = undefined
    // A first copy deletes no legacy copies, because consent would be needed before any record is here.
    const allHaveAccessors = withoutAccessor === 0 && (record?.index ?? 0) > 0
    const differences = await copy.finish(store, allHaveAccessors)
    const isAccepted = record?.accepted === copy.cluster
    // Without token replication, an operator chose to delete the tokens.
    const tables = REPLICATED_TABLES.filter((table) => table !== 'tokens' || kinds === 'all')
    const objection = isAccepted ? undefined : await copy.objection(differences, store, tables)
    if (objection !== undefined) {
      this.refuse()
      throw new Paused(objection)
    }
    const fence = copy.way === 'slices' ? await this.deleteTokens(copy, differences, cursor) : cursor.fence
    const findsAll = copy.way === 'whole' ? { skipped: [], keptNamespaces: [] } : {}
    const next = { ...this.after(copy.cluster, index, record), ...findsAll }
    const committed = await commitReceived(store, differences, next, { fence, lookUp: ALL, isSlice: false })
    this.accept()
    this.checkAt = clock.now() + CHECK_INTERVAL_MS
    await this.noteLegacyCopies({ withoutAccessor })
    return {
      ...roundOf(committed.counts),
      ...(record && copy.way === 'check' ? { mended: copy.drift(record) } : {}),
    }
  }

  /** Deletes the tokens of an earlier copy, of which there may be many. @returns the new fence. */
  private async deleteTokens(
    { cluster }: Copy,
    { deleted }: Received,
    { record, fence: before }: StoredCursor,
  ): Promise<number> {
    const next = this.partial(cluster, record)
    let fence = before
    for (const tokens of partsOf(deleted.tokens, DELETED_TOKENS_MAX)) {
      const some = { ...NOTHING, deleted: { ...NOTHING.deleted, tokens } }
      const options = { fence, lookUp: ALL, isSlice: true }
      fence = (await commitReceived(this.options.store, some, next, options)).fence
    }
    return fence
  }

  /**
   * Whether there are copies of legacy tokens from before the upgrade: global tokens without an accessor. Each takes over the
   * accessor of its token when the token arrives; they match by secret. Spec 9.2.3.
   */
  private async holdsLegacyCopies(): Promise<boolean> {
    const { store } = this.options
    this.mayHoldLegacy &&= (await store.countTokens({ withoutAccessor: true, local: false })) > 0
    return this.mayHoldLegacy
  }

  /** Once every token of the primary has an accessor, copies without one have no original, and a copy deletes them. */
  private async noteLegacyCopies({
    withoutAccessor,
  }: Pick<ReceivedAnswer, 'withoutAccessor'>): Promise<void> {
    if (withoutAccessor === 0 && (await this.holdsLegacyCopies())) this.isCopyDue = true
  }
}

function roundOf(counts: AppliedCounts | undefined): Round {
  if (counts === undefined) return { outcome: 'unchanged' }
  const isChange = Object.values(counts).some(({ put, deleted }) => put + deleted > 0)
  return { outcome: isChange ? 'applied' : 'unchanged', counts }
}

function changesSince(
  { index, cluster }: { readonly index: number; readonly cluster: string },
  waitMs: number,
): ChangesQuery {
  return { index, cluster, wait: `${waitMs}ms`, staged: true }
}

function requireAccepted({ cluster, accepted }: ReplicationRecord, answer: ReceivedAnswer): void {
  if (answer.cluster === cluster || answer.cluster === accepted) return
  throw new Paused(`the primary is another cluster: ${answer.cluster} instead of ${cluster}`)
}

/** Protects the records of a former primary, which its successor may never have received. @throws Paused */
async function requireNoPrimary(store: Store, { index, cluster }: ReceivedAnswer): Promise<void> {
  if (!hasSeenPromotion(index, store.commitIndex()) || (await isEmpty(store))) return
  throw new Paused(`the primary was promoted, and this datacenter has records of its own: accept ${cluster}`)
}

/** Whether a local token has this accessor. If it is empty, whether any local legacy token still waits for its accessor. */
async function isHolder(store: Store, accessorId: string): Promise<boolean> {
  if (accessorId === '') return (await store.countTokens({ withoutAccessor: true, local: true })) > 0
  return (await store.tokenByAccessor(accessorId))?.Local === true
}

/** Whether replication has written nothing yet, except copies from legacy mode. */
async function isEmpty(store: Store): Promise<boolean> {
  const directory = store.directory()
  for (const records of [directory.policies(), directory.roles(), directory.namespaces()]) {
    for (const _ of records) return false
  }
  const copies = await store.countTokens({ withoutAccessor: true, local: false })
  return (await store.countTokens({ local: false })) === copies
}
