/**
 * Compares the records here with the primary's once a day. A difference means a bug, or that something else wrote to the
 * database; following the primary would never correct it. Decisions: replication.
 */
import type { Clock, ReplicationRecord } from '@latchkey/acl'
import { type ChangesDigest, invariant } from '@latchkey/contract'
import { FairQueue } from '../limits/fair-queue.ts'
import { REPLICATED_TABLES, type ReplicatedTable } from '../store/replicated.ts'
import type { Store } from '../store/store.ts'
import { readCursor } from './apply/commit-received.ts'
import type { ChangesSource } from './changes-source.ts'
import { digestOf, type RecordsDigest } from './digest.ts'

interface AuditOptions {
  readonly store: Store
  readonly source: ChangesSource
  readonly clock: Clock
}

/** Kinds whose records differ from the primary's. */
export type AuditResult = readonly ReplicatedTable[]

const INTERVAL_MS = 86_400_000
/** Delay of the first audit: after a start, other requests are more urgent. */
const FIRST_AFTER_MS = 600_000
/** Delay after the primary has changed during an audit, or could not answer. */
const RETRY_MS = 60_000

const KINDS = {
  namespaces: 'Namespaces',
  policies: 'Policies',
  roles: 'Roles',
  tokens: 'Tokens',
} as const satisfies Record<ReplicatedTable, keyof ChangesDigest>

export class Audit {
  private readonly options: AuditOptions
  private readonly turns = new FairQueue()
  private dueAt: number
  private isRunning = false
  private result: AuditResult | undefined

  constructor(options: AuditOptions) {
    this.options = options
    this.dueAt = options.clock.now() + FIRST_AFTER_MS
  }

  /** Returns the result of the last audit, once. */
  takeResult(): AuditResult | undefined {
    const { result } = this
    this.result = undefined
    return result
  }

  /**
   * Begins an audit if one is due. Resolves once a snapshot of the records is open, so the caller can follow the primary again
   * while they are compared. Never rejects.
   *
   * @param record the cursor of the state that the store shows.
   */
  async begin(record: ReplicationRecord, signal: AbortSignal): Promise<void> {
    const { source, clock } = this.options
    if (!source.digest || this.isRunning || clock.now() < this.dueAt) return
    this.isRunning = true
    this.dueAt = clock.now() + RETRY_MS
    const theirs = source.digest(record.index, signal)
    await new Promise<void>((opened) => {
      this.compare(record, theirs, opened)
        .then((result) => {
          if (result === undefined) return
          this.result = result
          this.dueAt = clock.now() + INTERVAL_MS
        })
        // Following the primary will report the cause; the audit is retried later.
        .catch(() => {})
        .finally(() => {
          this.isRunning = false
          opened()
        })
    })
  }

  /** @returns undefined if the primary has changed, so there is nothing to compare with. */
  private async compare(
    record: ReplicationRecord,
    theirs: Promise<ChangesDigest>,
    opened: () => void,
  ): Promise<AuditResult | undefined> {
    let useless: Error | undefined
    theirs.then(
      (digest) => {
        if (!isComparable(digest, record)) useless = new Error('the primary has changed')
      },
      (error: Error) => {
        useless = error
      },
    )
    const pause = async () => {
      await this.turns.next()
      if (useless) throw useless
    }
    const { store } = this.options
    const ours = await store.replicatedSnapshot(({ pages }) => {
      // Fails if another process has taken over replication.
      invariant(readCursor(store).record?.index === record.index, 'only this process follows the primary')
      opened()
      return digestOf(pages, pause)
    })
    const digest = await theirs
    return isComparable(digest, record) ? differencesOf(ours, digest, record) : undefined
  }
}

function isComparable({ Changed, Cluster }: ChangesDigest, { cluster }: ReplicationRecord): boolean {
  return Changed === undefined && Cluster === cluster
}

function differencesOf(
  { digest, leftOut }: RecordsDigest,
  theirs: ChangesDigest,
  { skipped, keptNamespaces = [], withoutTokens }: ReplicationRecord,
): AuditResult {
  const mayDiffer: Readonly<Record<ReplicatedTable, boolean>> = {
    namespaces: keptNamespaces.length > 0,
    policies: false,
    roles: false,
    tokens: withoutTokens === true || skipped.length > 0 || leftOut > 0,
  }
  return REPLICATED_TABLES.filter((table) => {
    const { count, hash } = digest.of(table)
    const other = theirs[KINDS[table]]
    return !mayDiffer[table] && (other?.Count !== count || other.Hash !== hash)
  })
}
