import type { LocalState } from '../follow/local-state.ts'
import type { Queries, Snapshot } from './queries.ts'

/** Reads from a replica, for requests with mode `stale`. */
export class ReplicaReads {
  private readonly queries: Queries
  private readonly state: LocalState
  /** Number of reads from the replica. */
  count = 0

  constructor(queries: Queries, state: LocalState) {
    this.queries = queries
    this.state = state
  }

  /**
   * Reads from the replica if it has everything that this process has seen, so that the age reported for the local
   * state also applies to the replica. Undefined if it lags or is unreachable: the caller then reads from the primary.
   */
  async read<T>(read: (queries: Queries) => Promise<Snapshot<T>>): Promise<Snapshot<T> | undefined> {
    const { appliedIndex } = this.state
    this.count += 1
    const snapshot = await read(this.queries).catch(() => undefined)
    return snapshot && snapshot.index >= appliedIndex ? snapshot : undefined
  }
}
