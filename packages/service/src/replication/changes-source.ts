/** Where a secondary datacenter gets the records of its primary. Decisions: replication. */
import type { Changes, ChangesDigest } from '@latchkey/contract'

/** The query of `GET /v1/acl/changes`. */
export interface ChangesQuery {
  readonly index?: number
  readonly cluster?: string
  readonly cursor?: string
  /** With `index`: if there are too many changes, they arrive in parts. */
  readonly staged?: true
  /** How long the primary may wait for a change: a duration such as `15s`. */
  readonly wait?: string
}

export interface ChangesAnswer {
  /** As received; `readChanges` checks it. */
  readonly changes: Changes
  /** For a page of a copy: the cursor of the next page. */
  readonly nextCursor: string | undefined
}

/** The primary: over HTTP in the server, in memory in the mocks. */
export interface ChangesSource {
  /**
   * Sends one request.
   *
   * @throws AclError or Error with a message for `LastErrorMessage`, which must show no secret.
   */
  ask(query: ChangesQuery, signal: AbortSignal): Promise<ChangesAnswer>
  /**
   * Requests the digest of the primary's records, unless they have changed since `at`. Absent: records are never compared.
   *
   * @throws as {@link ChangesSource.ask}.
   */
  digest?(at: number, signal: AbortSignal): Promise<ChangesDigest>
}
