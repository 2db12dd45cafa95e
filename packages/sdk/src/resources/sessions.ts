/** Sessions, which hold locks on keys. Spec 9.3, 9.4. */
import { type Core, call, watchCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, ReadOptions, WatchOptions } from '../options.ts'
import type { LockSession, LockSessionCreate, LockSessionID } from '../types.ts'
import type { Watch } from '../watch.ts'

export class Sessions<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Creates a session on a node, by default the server's. `client.locks` does this for you.
   *
   * Endpoint `sessions.create` (PUT /v1/session/create). Right: session. An extension of the spec. Errors: Invalid
   * (field_required, field_invalid, check_critical, namespace_unsupported), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  create(session: LockSessionCreate = {}, options: CallOptions = {}): Promise<Result<M, LockSessionID>> {
    return call(this.#core, { endpoint: 'sessions.create', json: session, options })
  }

  /**
   * Ends a session; its keys are released or deleted. Also `true` if the session did not exist.
   *
   * Endpoint `sessions.destroy` (PUT /v1/session/destroy/:ID). Right: session. An extension of the spec. Errors:
   * Invalid (id_missing, id_invalid), PermissionDenied (caller_unknown, privilege_missing).
   */
  destroy(id: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    const params = { ID: id }
    return call(this.#core, { endpoint: 'sessions.destroy', params, repeatable: 'unlessPending', options })
  }

  /**
   * Reads a session. Returns a list with the session, or an empty list.
   *
   * Endpoint `sessions.info` (GET /v1/session/info/:ID). Right: session. Spec 9.3. Errors: Invalid (id_missing,
   * id_invalid, session_incompatible), PermissionDenied (caller_unknown, privilege_missing).
   */
  info(id: string, options: ReadOptions = {}): Promise<Result<M, LockSession[]>> {
    return call(this.#core, { endpoint: 'sessions.info', params: { ID: id }, options })
  }

  /**
   * Follows a session: yields a list with the session, and an empty list once it has ended.
   *
   * Endpoint `sessions.info` (GET /v1/session/info/:ID). Right: session. Spec 9.3. Errors: Invalid (id_missing,
   * id_invalid, session_incompatible), PermissionDenied (caller_unknown, privilege_missing).
   */
  watchInfo(id: string, options?: WatchOptions): Watch<LockSession[]> {
    return watchCall(this.#core, { endpoint: 'sessions.info', params: { ID: id } }, options)
  }

  /**
   * Lists the sessions of a node.
   *
   * Endpoint `sessions.node` (GET /v1/session/node/:Node). Right: session. Spec 9.4. Errors: Invalid (id_missing),
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  node(node: string, options: ReadOptions = {}): Promise<Result<M, LockSession[]>> {
    return call(this.#core, { endpoint: 'sessions.node', params: { Node: node }, options })
  }

  /**
   * Lists all sessions of the datacenter, in order of ID.
   *
   * Endpoint `sessions.list` (GET /v1/session/list). Right: session. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  list(options: ReadOptions = {}): Promise<Result<M, LockSession[]>> {
    return call(this.#core, { endpoint: 'sessions.list', options })
  }

  /**
   * Follows all sessions of the datacenter, in order of ID.
   *
   * Endpoint `sessions.list` (GET /v1/session/list). Right: session. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  watchList(options?: WatchOptions): Watch<LockSession[]> {
    return watchCall(this.#core, { endpoint: 'sessions.list' }, options)
  }

  /**
   * Renews a session: its TTL starts over. Throws NotFound if the session has ended.
   *
   * Endpoint `sessions.renew` (PUT /v1/session/renew/:ID). Right: session. Spec 9.3. Errors: Invalid (id_missing,
   * id_invalid, session_incompatible), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  renew(id: string, options: CallOptions = {}): Promise<Result<M, LockSession[]>> {
    const params = { ID: id }
    return call(this.#core, { endpoint: 'sessions.renew', params, repeatable: 'unlessPending', options })
  }
}
