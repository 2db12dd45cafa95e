import type { LocalState } from '../follow/local-state.ts'
import type { Queries, Snapshot } from './queries.ts'

/** Reads from a replica of the database, for requests that asked for `stale`. */
export class ReplicaReads {
  private readonly queries: Queries
  private readonly state: LocalState
  /** How often the replica was asked. */
  count = 0

  constructor(queries: Queries, state: LocalState) {
    this.queries = queries
    this.state = state
  }

  /**
   * What the replica says, if it has all that this process has seen: then the age that was told for that holds for it,
   * too. Undefined where it lags, or is away: the primary is asked then.
   */
  async read<T>(read: (queries: Queries) => Promise<Snapshot<T>>): Promise<Snapshot<T> | undefined> {
    const { appliedIndex } = this.state
    this.count += 1
    const snapshot = await read(this.queries).catch(() => undefined)
    return snapshot && snapshot.index >= appliedIndex ? snapshot : undefined
  }
}
