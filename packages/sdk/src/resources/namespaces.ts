/** Namespaces, in the extended edition. Spec 4.9. */
import { whenGone } from '../absence.ts'
import { type Core, call, watchCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, ReadOptions, WatchOptions } from '../options.ts'
import type { Namespace, NamespaceCreate, NamespaceUpdate } from '../types.ts'
import type { Watch } from '../watch.ts'

export class Namespaces<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Creates a namespace. A create with an unknown outcome is not retried.
   *
   * Endpoint `namespaces.create` (PUT /v1/namespace). Right: operator:write. Spec 4.9, from service version 1.4.0,
   * in the extended edition. Errors: Invalid (field_required, name_invalid, link_unknown), Conflict (name_in_use),
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  create(namespace: NamespaceCreate, options: CallOptions = {}): Promise<Result<M, Namespace>> {
    return call(this.#core, { endpoint: 'namespaces.create', json: namespace, options })
  }

  /**
   * Reads a namespace by its name.
   *
   * Endpoint `namespaces.read` (GET /v1/namespace/:Name). Right: operator:read. Spec 4.9, from service version
   * 1.4.0, in the extended edition. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  read(name: string, options: ReadOptions = {}): Promise<Result<M, Namespace>> {
    return call(this.#core, { endpoint: 'namespaces.read', params: { Name: name }, options })
  }

  /**
   * Replaces the description and defaults of a namespace; omitted fields are cleared.
   *
   * Endpoint `namespaces.update` (PUT /v1/namespace/:Name). Right: operator:write. Spec 4.9, from service version
   * 1.4.0, in the extended edition. Errors: Invalid (id_missing, accessor_mismatch, field_invalid, link_unknown),
   * NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  update(name: string, namespace: NamespaceUpdate, options: CallOptions = {}): Promise<Result<M, Namespace>> {
    return call(this.#core, {
      endpoint: 'namespaces.update',
      params: { Name: name },
      json: namespace,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deletes an empty namespace.
   *
   * Endpoint `namespaces.delete` (DELETE /v1/namespace/:Name). Right: operator:write. Spec 4.9, from service
   * version 1.4.0, in the extended edition. Errors: Invalid (id_missing, delete_refused), NotFound,
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  delete(name: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return call(this.#core, {
      endpoint: 'namespaces.delete',
      params: { Name: name },
      repeatable: 'unlessPending',
      recover: whenGone,
      options,
    })
  }

  /**
   * Lists all namespaces.
   *
   * Endpoint `namespaces.list` (GET /v1/namespaces). Right: operator:read. Spec 4.9, from service version 1.4.0, in
   * the extended edition. Errors: PermissionDenied (caller_unknown, privilege_missing).
   */
  list(options: ReadOptions = {}): Promise<Result<M, Namespace[]>> {
    return call(this.#core, { endpoint: 'namespaces.list', options })
  }

  /**
   * Follows the list of all namespaces.
   *
   * Endpoint `namespaces.list` (GET /v1/namespaces). Right: operator:read. Spec 4.9, from service version 1.4.0, in
   * the extended edition. Errors: PermissionDenied (caller_unknown, privilege_missing).
   */
  watchList(options?: WatchOptions): Watch<Namespace[]> {
    return watchCall(this.#core, { endpoint: 'namespaces.list' }, options)
  }
}
