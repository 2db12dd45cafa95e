/**
 * The first copy of a primary, and a copy that starts over. Its pages are from different moments and are stored as they
 * arrive; none of it is used before the copy is complete. Decisions: replication.
 */
import type { ReplicationRecord, TokenRecord } from '@latchkey/acl'
import type { ListPosition, Store } from '../store/store.ts'
import type { StoredCursor } from './apply/commit-received.ts'
import { requireAccepted, requireNewer } from './apply/conditions.ts'
import type { Received } from './apply/received.ts'
import type { LegacyCopies } from './legacy-copies.ts'
import type { Primary } from './primary.ts'
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

interface FirstCopyOptions extends FollowedKinds {
  readonly store: Store
  readonly primary: Primary
  readonly legacyCopies: LegacyCopies
}

const NONE = { older: -1 } as const
/** Maximum number of tokens that one commit deletes, because all other writers wait for it. */
const DELETED_TOKENS_MAX = 1_000
const NOTHING: Received = {
  ...{ namespaces: [], policies: [], roles: [], tokens: [], unusable: [] },
  deleted: { namespaces: [], policies: [], roles: [], tokens: [] },
}

export class FirstCopy {
  private readonly options: FirstCopyOptions
  /** Records that have arrived. */
  count = 0
  /** Position up to which tokens are deleted, to continue the search from there. */
  private deletedTo: ListPosition | undefined

  constructor(options: FirstCopyOptions) {
    this.options = options
  }

  /**
   * Stores the next page, or the changes since the first one.
   *
   * @returns `undefined` if the primary is a different one or its index went back, so the records here must be compared.
   */
  async next({ record, fence }: StoredCursor, signal: AbortSignal): Promise<Round | undefined> {
    const { store, primary, legacyCopies } = this.options
    const begun = record?.copy
    const { skipped = [], keptNamespaces = [] } = record ?? {}
    const kept = { skipped, keptNamespaces, ...markOf(this.options) }
    if (begun?.cursor !== '') {
      const { answer, nextCursor = '' } = await primary.ask(begun ? { cursor: begun.cursor } : {}, 0, signal)
      if (record?.startsOver) requireAccepted(record, answer)
      const isOther = begun && (answer.cluster !== record?.cluster || answer.index < begun.index)
      if (isOther) return undefined
      const copy = { index: begun?.index ?? answer.index, cursor: nextCursor }
      const next: ReplicationRecord = { cluster: answer.cluster, index: 0, copy, ...kept }
      const lookUp = (await legacyCopies.areHeld()) ? 'all' : NONE
      const { counts } = await applyReceived(store, answer, next, { fence, lookUp, isSlice: true })
      this.count += countOf(answer)
      return { outcome: 'copied', counts }
    }
    const cluster = record?.cluster ?? ''
    const query = changesSince({ index: begun.index, cluster }, NO_WAIT_MS)
    const { answer } = await primary.ask(query, NO_WAIT_MS, signal)
    if (answer.isReset || answer.cluster !== cluster) return undefined
    requireNewer(answer, begun)
    const complete: ReplicationRecord = { cluster, index: answer.index, ...kept }
    if (!answer.hasMore) {
      const round = await applyReceived(store, answer, complete, { fence, lookUp: ALL, isSlice: false })
      await legacyCopies.afterAnswer(answer.withoutAccessor, false)
      return round
    }
    const next = { ...complete, index: 0, copy: { index: answer.index, cursor: '' } }
    const { counts } = await applyReceived(store, answer, next, { fence, lookUp: ALL, isSlice: true })
    return { outcome: 'copied', counts }
  }

  /** Takes the records here out of use. They are then deleted, part by part, and copied again. */
  startOver(cluster: string, { record, fence }: StoredCursor): Promise<Round> {
    const { keptNamespaces = [] } = record ?? {}
    const next: ReplicationRecord = {
      ...{ cluster, index: 0, skipped: [], keptNamespaces, startsOver: 'deleting' as const },
      ...markOf(this.options),
    }
    return this.commit(NOTHING, next, fence)
  }

  /** Deletes some of the records that a restarted copy replaces. */
  async deleteNext(record: ReplicationRecord, fence: number): Promise<Round> {
    const strays = await this.someTokens()
    if (strays.length > 0) return this.commit({ ...NOTHING, strays }, record, fence)
    const directory = this.options.store.directory()
    const deleted = {
      namespaces: [...directory.namespaces()].map(({ Name }) => Name),
      policies: [...directory.policies()].map(({ ID }) => ID),
      roles: [...directory.roles()].map(({ ID }) => ID),
      tokens: [],
    }
    this.count = 0
    return this.commit({ ...NOTHING, deleted }, { ...record, startsOver: 'deleted' }, fence)
  }

  /** The next tokens to delete. Copies of legacy tokens, which have no accessor, stay in use. */
  private async someTokens(): Promise<readonly TokenRecord[]> {
    const { store } = this.options
    const found: TokenRecord[] = []
    const after = this.deletedTo
    for await (const page of store.tokens({ local: false, ...(after ? { after } : {}) })) {
      found.push(...page.filter(({ AccessorID }) => AccessorID !== ''))
      if (found.length >= DELETED_TOKENS_MAX) break
    }
    const some = found.slice(0, DELETED_TOKENS_MAX)
    const last = some.at(-1)
    this.deletedTo = last && store.placeOf(last)
    // Searches once more from the beginning, in case tokens remain before the position.
    return some.length === 0 && after ? this.someTokens() : some
  }

  private async commit(received: Received, next: ReplicationRecord, fence: number): Promise<Round> {
    const { store } = this.options
    const { counts } = await applyReceived(store, received, next, { fence, lookUp: ALL, isSlice: false })
    return { outcome: 'copied', counts }
  }
}
