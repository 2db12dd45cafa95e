/** Sends requests to the primary, and checks that the answering server is the primary. */
import type { Clock } from '@latchkey/acl'
import type { Store } from '../store/store.ts'
import { type ReceivedAnswer, readChanges } from './apply/received.ts'
import type { ChangesQuery, ChangesSource } from './service-source.ts'

/** Pauses replication: it applies nothing until an operator or the primary acts, and the stored records stay. */
export class Paused extends Error {
  override readonly name = 'Paused'
}

export interface PrimaryOptions {
  readonly store: Store
  readonly source: ChangesSource
  readonly clock: Clock
  readonly primaryDatacenter: string
  /** `withoutTokens`: only policies, roles and namespaces. */
  readonly kinds: 'all' | 'withoutTokens'
}

/** An answer is overdue this long after the wait, which covers the jitter of the wait and the network. */
const OVERDUE_MS = 6_000

const NO_TOKENS = { tokens: [], unusable: [] } as const

export class Primary {
  private readonly options: PrimaryOptions
  /** Commit index and store ID in the last answer. */
  index = 0
  cluster: string | undefined
  /** The primary's clock minus the local clock, at the last answer. */
  clockOffsetMs: number | undefined
  private dueAt: number | undefined

  constructor(options: PrimaryOptions) {
    this.options = options
  }

  get isOverdue(): boolean {
    return this.dueAt !== undefined && this.options.clock.now() > this.dueAt
  }

  /**
   * @param waitMs how long the primary may wait before it answers.
   * @throws BrokenAnswer, Paused, and what the source throws.
   */
  async ask(
    query: ChangesQuery,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly answer: ReceivedAnswer; readonly nextCursor: string | undefined }> {
    const { source, clock, kinds } = this.options
    this.dueAt = clock.now() + waitMs + OVERDUE_MS
    try {
      const { changes, nextCursor } = await source.ask(query, signal)
      const answer = readChanges(changes)
      checkQuestion(answer, query)
      this.check(answer)
      this.cluster = answer.cluster
      this.index = answer.index
      this.clockOffsetMs = answer.time - clock.now()
      if (kinds === 'all') return { answer, nextCursor }
      return { answer: { ...answer, ...NO_TOKENS, deleted: { ...answer.deleted, tokens: [] } }, nextCursor }
    } finally {
      this.dueAt = undefined
    }
  }

  /** @throws Paused if the server is in another datacenter, in this one, or in a secondary. */
  private check({ datacenter, cluster, follows }: ReceivedAnswer): void {
    const { store, primaryDatacenter } = this.options
    if (datacenter !== primaryDatacenter) {
      const expected = JSON.stringify(primaryDatacenter)
      throw new Paused(`the server is of datacenter ${JSON.stringify(datacenter)}, not of ${expected}`)
    }
    const own = store.directory().system('cluster')?.Value
    if (follows !== undefined) throw new Paused(noPrimary(datacenter, follows))
    if (cluster === own?.ID) throw new Paused('the server belongs to this datacenter itself')
  }
}

/** @throws Error for the answer to a different request, which a bad connection may deliver. */
function checkQuestion({ after }: ReceivedAnswer, { index, cursor }: ChangesQuery): void {
  const asked = index === undefined ? cursor : String(index)
  if (after !== asked) throw new Error('the answer belongs to another question')
}

/**
 * Describes a primary that follows another one. In a circle or a chain of such datacenters, none could write global records.
 */
export function noPrimary(datacenter: string, follows: string): string {
  return `${datacenter} is no primary: it takes ${JSON.stringify(follows)} for one`
}
