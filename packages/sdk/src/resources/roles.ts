/** Roles: named sets of policy links and identities. Spec 2.3. */

import { whenGone } from '../absence.ts'
import { type Core, call, watchCall, watchRecordCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, ReadOptions, WatchOptions } from '../options.ts'
import type { QueryOf } from '../request/call.ts'
import { send } from '../request/send.ts'
import type { Role, RoleCreate, RoleUpdate } from '../types.ts'
import type { Watch } from '../watch.ts'
import { ensure, hasLinks, hasRecords } from './ensure.ts'

/** Selects the roles linked to a policy, by its ID. */
export type RoleFilter = { readonly [Q in QueryOf<'roles.list'>]?: string | undefined }

export class Roles<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Creates a role. The service assigns the ID, so a create with an unknown outcome is not retried.
   *
   * Endpoint `roles.create` (PUT /v1/acl/role). Right: acl:write. Spec 2.3, from service version 1.5.0. Errors:
   * Invalid (field_required, name_invalid, link_unknown, field_invalid), Conflict (name_in_use), NotFound,
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  create(role: RoleCreate, options: CallOptions = {}): Promise<Result<M, Role>> {
    return call(this.#core, { endpoint: 'roles.create', json: role, options })
  }

  /**
   * Reads a role by its ID.
   *
   * Endpoint `roles.read` (GET /v1/acl/role/:ID). Right: acl:read. Spec 2.3, from service version 1.5.0. Errors:
   * Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  read(id: string, options: ReadOptions = {}): Promise<Result<M, Role>> {
    return call(this.#core, { ...readCall(id), options })
  }

  /**
   * Reads a role by its name.
   *
   * Endpoint `roles.readByName` (GET /v1/acl/role/name/:Name). Right: acl:read. Spec 2.3, from service version
   * 1.5.0. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  readByName(name: string, options: ReadOptions = {}): Promise<Result<M, Role>> {
    return call(this.#core, { endpoint: 'roles.readByName', params: { Name: name }, options })
  }

  /**
   * Replaces a role; omitted fields are cleared. The new rights apply at once to linked tokens.
   *
   * Endpoint `roles.update` (PUT /v1/acl/role/:ID). Right: acl:write. Spec 2.3, from service version 1.5.0. Errors:
   * Invalid (id_invalid, accessor_mismatch, name_invalid, link_unknown, field_required, field_invalid), Conflict
   * (name_in_use), NotFound, PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  update(id: string, role: RoleUpdate, options: CallOptions = {}): Promise<Result<M, Role>> {
    const params = { ID: id }
    return call(this.#core, {
      endpoint: 'roles.update',
      params,
      json: role,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deletes a role, and removes its links from tokens.
   *
   * Endpoint `roles.delete` (DELETE /v1/acl/role/:ID). Right: acl:write. Spec 2.3, from service version 1.5.0.
   * Errors: Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing),
   * LegacyMode.
   */
  delete(id: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    const params = { ID: id }
    return call(this.#core, {
      endpoint: 'roles.delete',
      params,
      repeatable: 'always',
      recover: whenGone,
      options,
    })
  }

  /** Iterates over all matching roles, in the order of {@link list}. */
  async *each(
    filter: RoleFilter = {},
    options: ReadOptions = {},
  ): AsyncGenerator<Role, undefined, undefined> {
    yield* (await send(this.#core.settings, { endpoint: 'roles.list', query: filter, options })).value
  }

  /**
   * Ensures that a role with this name has this content: creates it, updates it if it differs, or leaves it unchanged.
   * Fields that `role` omits are cleared, as by {@link update}.
   *
   * @returns the resulting role.
   */
  async ensure(
    role: RoleCreate & { readonly Name: string },
    options: CallOptions = {},
  ): Promise<Result<M, Role>> {
    const { settings } = this.#core
    const { Name } = role
    const where = { ...options, namespace: role.Namespace || options.namespace }
    return this.#core.shape(
      await ensure<Role>({
        read: () => send(settings, { endpoint: 'roles.readByName', params: { Name }, options: where }),
        create: () => send(settings, { endpoint: 'roles.create', json: role, repeatable: 'always', options }),
        update: ({ ID }) =>
          send(settings, {
            endpoint: 'roles.update',
            params: { ID },
            json: role,
            repeatable: 'unlessPending',
            options,
          }),
        isSame: (found) =>
          found.Description === (role.Description ?? '') &&
          hasLinks(found.Policies, role.Policies) &&
          hasRecords(found.ServiceIdentities, role.ServiceIdentities) &&
          hasRecords(found.NodeIdentities, role.NodeIdentities),
      }),
    )
  }

  /**
   * Lists roles.
   *
   * Endpoint `roles.list` (GET /v1/acl/roles). Right: acl:read. Spec 2.3, from service version 1.5.0. Errors:
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  list(filter: RoleFilter = {}, options: ReadOptions = {}): Promise<Result<M, Role[]>> {
    return call(this.#core, { endpoint: 'roles.list', query: filter, options })
  }

  /**
   * Follows a role; `value` is `undefined` while it does not exist.
   *
   * Endpoint `roles.read` (GET /v1/acl/role/:ID). Right: acl:read. Spec 2.3, from service version 1.5.0. Errors:
   * Invalid (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  watch(id: string, options?: WatchOptions): Watch<Role | undefined> {
    return watchRecordCall(this.#core, readCall(id), options)
  }

  /**
   * Follows a list of roles.
   *
   * Endpoint `roles.list` (GET /v1/acl/roles). Right: acl:read. Spec 2.3, from service version 1.5.0. Errors:
   * PermissionDenied (caller_unknown, privilege_missing), LegacyMode.
   */
  watchList(filter: RoleFilter = {}, options?: WatchOptions): Watch<Role[]> {
    return watchCall(this.#core, { endpoint: 'roles.list', query: filter }, options)
  }
}

function readCall(id: string) {
  return { endpoint: 'roles.read', params: { ID: id } } as const
}
