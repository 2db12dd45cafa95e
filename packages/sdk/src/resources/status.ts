/** The service as a whole: its processes, replication, migration and versions. Spec 9. */

import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, ReadOptions } from '../options.ts'
import type { QueryOf } from '../request/call.ts'
import type {
  AcceptedCluster,
  Changes,
  ChangesDigest,
  MigrationStatus,
  PromotedDatacenter,
  ReplicationStatus,
  VersionChange,
} from '../types.ts'

/** Two service versions, such as `1.4.0` and `1.11`; an absent one is for the service to choose. */
export type VersionRange = { readonly [Q in QueryOf<'operations.versions'>]?: string | undefined }

/** Options of {@link Status.changes}. */
export interface ChangesOptions extends ReadOptions {
  /** `Cluster` of the answers before: a server of another cluster answers `Reset`. */
  readonly cluster?: string | undefined
  /** Where the page begins: `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** If too much has changed, answers the changes of the first commits, and `More`, instead of `Reset`. Default: false. */
  readonly staged?: boolean | undefined
  /** Name of the reader, such as its datacenter: for a day, what changes is kept for it. */
  readonly reader?: string | undefined
}

/** Options of {@link Status.promote}. */
export interface PromoteOptions extends CallOptions {
  /** Promote although the primary has answered within the last minute. */
  readonly force?: boolean | undefined
}

export class Status<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Answers the address of the process that runs the single-winner jobs.
   *
   * Endpoint `operations.leader` (GET /v1/status/leader). Right: none. Spec 9.4.
   */
  leader(options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, { endpoint: 'operations.leader', options })
  }

  /**
   * Lists the addresses of all server processes.
   *
   * Endpoint `operations.peers` (GET /v1/status/peers). Right: none. Spec 9.4.
   */
  peers(options: CallOptions = {}): Promise<Result<M, string[]>> {
    return call(this.#core, { endpoint: 'operations.peers', options })
  }

  /**
   * Reads how far replication from the primary datacenter is.
   *
   * Endpoint `operations.replication` (GET /v1/acl/replication). Right: none. Spec 9.4.
   */
  replication(options: CallOptions = {}): Promise<Result<M, ReplicationStatus>> {
    return call(this.#core, { endpoint: 'operations.replication', options })
  }

  /**
   * Follows namespaces, policies, roles and global tokens with all their secrets: without `index`, a page of everything, with
   * `nextCursor` in `withMeta()` for the next; then, with the `Index` of the first page, what has changed since. As one, such
   * an answer leads from the state at `index` to the state at its `Index`.
   *
   * Endpoint `operations.changes` (GET /v1/acl/changes). Right: acl:write. An extension of the spec, from service
   * version 1.4.0. Errors: Conflict (primary_superseded), PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  changes(options: ChangesOptions = {}): Promise<Result<M, Changes>> {
    const { cluster, cursor, reader, staged } = options
    const query = { cluster, cursor, reader, staged: staged ? ('true' as const) : undefined }
    return call(this.#core, { endpoint: 'operations.changes', options, query })
  }

  /**
   * Lets the records of another primary store replace what this datacenter has: replication pauses when the id of that store
   * changes, or when following it would delete much.
   *
   * Endpoint `datacenters.accept` (PUT /v1/acl/replication/accept). Right: acl:write. An extension of the spec,
   * from service version 1.4.0. Errors: Invalid (field_required, id_invalid), Conflict (replication_refused),
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   *
   * @param cluster `Cluster` of the answers of {@link changes} there.
   */
  acceptCluster(cluster: string, options: CallOptions = {}): Promise<Result<M, AcceptedCluster>> {
    return call(this.#core, {
      endpoint: 'datacenters.accept',
      json: { Cluster: cluster },
      repeatable: 'always',
      options,
    })
  }

  /**
   * Makes a secondary datacenter the primary. A promotion whose outcome is unknown is not repeated.
   *
   * Endpoint `datacenters.promote` (PUT /v1/acl/replication/promote). Right: acl:write. An extension of the spec,
   * from service version 1.4.0. Errors: Invalid (field_required, field_invalid), Conflict (replication_refused),
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   *
   * @param datacenter the name of that datacenter, as a confirmation.
   */
  promote(datacenter: string, options: PromoteOptions = {}): Promise<Result<M, PromotedDatacenter>> {
    const { force } = options
    const json = { Datacenter: datacenter, ...(force === undefined ? {} : { Force: force }) }
    return call(this.#core, { endpoint: 'datacenters.promote', json, options })
  }

  /**
   * Digests the namespaces, policies, roles and global tokens of one moment, to compare them with those of another datacenter.
   *
   * @param options `at`: answer a digest only if none of these records has changed since this index.
   *
   * Endpoint `operations.changesDigest` (GET /v1/acl/changes/digest). Right: acl:write. An extension of the spec,
   * from service version 1.4.0. Errors: PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  changesDigest(
    options: CallOptions & { readonly at?: number | undefined } = {},
  ): Promise<Result<M, ChangesDigest>> {
    const { at } = options
    return call(this.#core, { endpoint: 'operations.changesDigest', options, query: { at } })
  }

  /**
   * Reads how far the background migration is that gives legacy tokens their accessors.
   *
   * Endpoint `operations.migration` (GET /v1/internal/acl/migration). Right: acl:read. An extension of the spec,
   * from service version 1.4.0. Errors: PermissionDenied (caller_unknown, privilege_missing).
   */
  migration(options: CallOptions = {}): Promise<Result<M, MigrationStatus>> {
    return call(this.#core, { endpoint: 'operations.migration', options })
  }

  /**
   * Lists the names of all known datacenters.
   *
   * Endpoint `operations.datacenters` (GET /v1/catalog/datacenters). Right: none. Spec 9.4.
   */
  datacenters(options: CallOptions = {}): Promise<Result<M, string[]>> {
    return call(this.#core, { endpoint: 'operations.datacenters', options })
  }

  /**
   * Lists what changes between two service versions.
   *
   * Endpoint `operations.versions` (GET /v1/internal/versions). Right: none. An extension of the spec. Errors:
   * Invalid (version_invalid).
   */
  versionChanges(range: VersionRange, options: CallOptions = {}): Promise<Result<M, VersionChange[]>> {
    return call(this.#core, { endpoint: 'operations.versions', query: range, options })
  }

  /**
   * Reads the description of the API as OpenAPI 3.1.
   *
   * Endpoint `operations.openapi` (GET /v1/openapi.json). Right: none. An extension of the spec.
   */
  openapi(options: CallOptions = {}): Promise<Result<M, Record<string, unknown>>> {
    return call(this.#core, { endpoint: 'operations.openapi', options })
  }
}
