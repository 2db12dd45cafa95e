/** The service as a whole: its processes, replication, migration and versions. Spec 9. */

import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, OwnNames, ReadOptions } from '../options.ts'
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

/** Two service versions, such as `1.4.0` and `1.11`. The service supplies a default for an absent one. */
export type VersionRange = { readonly [Q in QueryOf<'operations.versions'>]?: string | undefined }

/** Options of {@link Status.changes}. */
export interface ChangesOptions extends ReadOptions {
  /** `Cluster` of the previous answers. A server of another cluster answers `Reset`. */
  readonly cluster?: string | undefined
  /** Where the page begins: `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** If too much has changed, return the changes of the first commits and `More` instead of `Reset`. Default: false. */
  readonly staged?: boolean | undefined
  /** Name of the reader, such as its datacenter. The server keeps changes for a named reader for up to a day. */
  readonly reader?: string | undefined
}

const CHANGES_NAMES: OwnNames<ChangesOptions> = { cluster: true, cursor: true, staged: true, reader: true }

/** Options of {@link Status.promote}. */
export interface PromoteOptions extends CallOptions {
  /** Promote although the primary has answered within the last minute. */
  readonly force?: boolean | undefined
}

const PROMOTE_NAMES: OwnNames<PromoteOptions> = { force: true }

export class Status<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Reads the address of the process that runs the single-winner jobs.
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
   * Reads the progress of replication from the primary datacenter.
   *
   * Endpoint `operations.replication` (GET /v1/acl/replication). Right: none. Spec 9.4.
   */
  replication(options: CallOptions = {}): Promise<Result<M, ReplicationStatus>> {
    return call(this.#core, { endpoint: 'operations.replication', options })
  }

  /**
   * Follows namespaces, policies, roles and global tokens, including all secrets. Without `index`, it returns a page of
   * everything; `nextCursor` in `withMeta()` leads to the next page. Afterwards, with the `Index` of the first page, it
   * returns the changes since. Applied as a whole, such an answer leads from the state at `index` to the state at its
   * `Index`.
   *
   * Endpoint `operations.changes` (GET /v1/acl/changes). Right: acl:write. An extension of the spec, from service
   * version 1.4.0. Errors: Conflict (primary_superseded), PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  changes(options: ChangesOptions = {}): Promise<Result<M, Changes>> {
    const { cluster, cursor, reader, staged } = options
    const query = { cluster, cursor, reader, staged: staged ? ('true' as const) : undefined }
    return call(this.#core, { endpoint: 'operations.changes', options, query, ownNames: CHANGES_NAMES })
  }

  /**
   * Accepts that the records of another primary store replace those of this datacenter. Replication pauses until then
   * if the ID of the primary store changes, or if following it would delete many records.
   *
   * Endpoint `datacenters.accept` (PUT /v1/acl/replication/accept). Right: acl:write. An extension of the spec,
   * from service version 1.4.0. Errors: Invalid (field_required, id_invalid), Conflict (replication_refused),
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   *
   * @param cluster the `Cluster` that {@link changes} returns in the primary.
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
   * Promotes a secondary datacenter to primary. A promotion with an unknown outcome is not retried.
   *
   * Endpoint `datacenters.promote` (PUT /v1/acl/replication/promote). Right: acl:write. An extension of the spec,
   * from service version 1.4.0. Errors: Invalid (field_required, field_invalid), Conflict (replication_refused),
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   *
   * @param datacenter the name of the datacenter to promote, as a confirmation.
   */
  promote(datacenter: string, options: PromoteOptions = {}): Promise<Result<M, PromotedDatacenter>> {
    const { force } = options
    const json = { Datacenter: datacenter, ...(force === undefined ? {} : { Force: force }) }
    return call(this.#core, { endpoint: 'datacenters.promote', json, options, ownNames: PROMOTE_NAMES })
  }

  /**
   * Computes digests of the namespaces, policies, roles and global tokens at one index, for comparison with another
   * datacenter.
   *
   * @param options `at`: return a digest only if none of these records has changed since this index.
   *
   * Endpoint `operations.changesDigest` (GET /v1/acl/changes/digest). Right: acl:write. An extension of the spec,
   * from service version 1.4.0. Errors: PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  changesDigest(
    options: CallOptions & { readonly at?: number | undefined } = {},
  ): Promise<Result<M, ChangesDigest>> {
    const { at } = options
    const ownNames = { at: true } as const
    return call(this.#core, { endpoint: 'operations.changesDigest', options, query: { at }, ownNames })
  }

  /**
   * Reads the progress of the accessor migration, which gives legacy tokens their accessors.
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
   * Reads the API description as OpenAPI 3.1.
   *
   * Endpoint `operations.openapi` (GET /v1/openapi.json). Right: none. An extension of the spec.
   */
  openapi(options: CallOptions = {}): Promise<Result<M, Record<string, unknown>>> {
    return call(this.#core, { endpoint: 'operations.openapi', options })
  }
}
