/** The state of a secondary datacenter's copy of its primary's records. Decisions: datacenters. */

/**
 * The value of the system record `replication`, which exists only in a secondary. Written in the same commit as the
 * records.
 */
export interface ReplicationRecord {
  /** Id of the primary's store, the source of the records. */
  readonly cluster: string
  /** Commit index of the primary whose records this datacenter has; 0 until the first copy is complete. */
  readonly index: number
  /** The records here are part of a copy that is not complete. `index` is 0, and they are not in use. */
  readonly isPartial?: true
  /** Where such a copy continues after a restart, if it began with no records: the index of its first page, and a cursor. */
  readonly resume?: { readonly since: number; readonly cursor: string }
  /** Global tokens that cannot be stored here. They give no rights. At most 1,000. */
  readonly skipped: readonly SkippedToken[]
  /** Namespaces that the primary lacks, but that still contain records of this datacenter. */
  readonly keptNamespaces?: readonly string[]
  /** Set if tokens are not replicated. */
  readonly withoutTokens?: true
  /** Set by an operator: the cluster id that may replace the records here, although it would delete many. */
  readonly accepted?: string
}

/** A global token that is not stored in a secondary. */
export interface SkippedToken {
  readonly accessorId: string
  /** For operators; never contains a secret. */
  readonly reason: string
  /** Accessor of the local token that has the same accessor or secret. Everything is copied again once that token is gone. */
  readonly heldBy?: string
}

export interface ClusterRecord {
  /** A UUID. Readers use it to detect that they follow another store. */
  readonly ID: string
  /** Set if an operator promoted this secondary: it is the primary, regardless of its settings. */
  readonly promoted?: { readonly at: string; readonly from: string }
}

export interface ReplicationTokenRecord {
  /**
   * The secret with which this datacenter replicates, overriding the settings of its servers. Never part of an answer.
   */
  readonly Token: string
}
