/** What a secondary datacenter has of its primary's records. Decisions: datacenters. */

/** The value of the system record `replication`, which only a secondary has. Written in one commit with the records. */
export interface ReplicationRecord {
  /** Id of the primary's store, from which the records come. */
  readonly cluster: string
  /** Commit index of the primary whose records this datacenter has; 0 until the first copy is complete. */
  readonly index: number
  /** A first copy that is not complete: the index of its first page, and the cursor of the next one. */
  readonly copy?: { readonly index: number; readonly cursor: string }
  /** With consent, everything is copied again: it is being deleted first, or all of it is gone. `index` is 0, and none is used. */
  readonly startsOver?: 'deleting' | 'deleted'
  /** Global tokens that cannot be stored here. They give no rights. At most 1,000. */
  readonly skipped: readonly SkippedToken[]
  /** Namespaces that the primary does not have, and that still hold something of this datacenter's own. */
  readonly keptNamespaces?: readonly string[]
  /** Set where tokens are not replicated. */
  readonly withoutTokens?: true
  /** Set by an operator: the cluster id that may replace the records here, although it would delete many. */
  readonly accepted?: string
}

/** A global token that is not stored in a secondary. */
export interface SkippedToken {
  readonly accessorId: string
  /** For operators; never shows a secret. */
  readonly reason: string
  /** Accessor of the Local token that has its accessor or secret. The copy is repaired once that is gone. */
  readonly heldBy?: string
}

/** The value of the system record `cluster`. */
export interface ClusterRecord {
  /** A UUID, by which readers notice that they follow another store. */
  readonly ID: string
  /** Set where an operator made a secondary the primary: it is one, whatever its settings say. */
  readonly promoted?: {
    /** RFC 3339. */
    readonly at: string
    /** The primary until then. */
    readonly from: string
  }
}

/** The value of the system record `replication-token`. */
export interface ReplicationTokenRecord {
  /** The secret with which this datacenter replicates, in place of the settings of its servers. No answer shows it. */
  readonly Token: string
}
