/** Where a secondary datacenter gets the records of its primary. Decisions: replication. */
import type { Changes, ChangesDigest } from '@latchkey/contract'

/** The query of `GET /v1/acl/changes`. */
export interface ChangesQuery {
  readonly index?: number
  readonly cluster?: string
  readonly cursor?: string
  /** With `index`: changes that are too many come in parts. */
  readonly staged?: true
  /** How long the primary may wait for a change: a duration such as `15s`. */
  readonly wait?: string
}

export interface ChangesAnswer {
  /** As it arrived; `readChanges` checks it. */
  readonly changes: Changes
  /** Of a page of a copy: the cursor of the next one. */
  readonly nextCursor: string | undefined
}

/** The primary: over HTTP in the server, in memory in the mocks. */
export interface ChangesSource {
  /**
   * Asks once.
   *
   * @throws AclError or Error with a message for `LastErrorMessage`, which must show no secret.
   */
  ask(query: ChangesQuery, signal: AbortSignal): Promise<ChangesAnswer>
  /**
   * Asks for the digest of the primary's records, unless they have changed since `at`. Absent: they are never compared.
   *
   * @throws as {@link ChangesSource.ask}.
   */
  digest?(at: number, signal: AbortSignal): Promise<ChangesDigest>
}
