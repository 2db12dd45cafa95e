/** Intentions: which services may connect to which. Spec 9.5. */
import { whenGone } from '../absence.ts'
import { type Core, call, watchCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, ReadOptions, WatchOptions } from '../options.ts'
import type {
  Intention,
  IntentionCheck,
  IntentionCreate,
  IntentionExact,
  IntentionID,
  IntentionMatches,
  IntentionMigration,
  IntentionUpdate,
} from '../types.ts'
import type { Watch } from '../watch.ts'

/** A source and a destination, each as `name` or `namespace/name`. */
export interface IntentionNames {
  readonly source: string
  readonly destination: string
}

/** Selects intentions by an expression, such as `Action == deny`. */
export interface IntentionFilter {
  readonly filter?: string | undefined
}

export class Intentions<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Lists intentions, highest precedence first. From service version 1.9.0, it lists one namespace.
   *
   * Endpoint `intentions.list` (GET /v1/connect/intentions). Right: intention. Spec 9.3. Errors: Invalid
   * (filter_invalid, field_too_long), PermissionDenied (caller_unknown, privilege_missing).
   */
  list(filter: IntentionFilter = {}, options: ReadOptions = {}): Promise<Result<M, Intention[]>> {
    return call(this.#core, { endpoint: 'intentions.list', query: { ...filter }, options })
  }

  /**
   * Follows the list of intentions.
   *
   * Endpoint `intentions.list` (GET /v1/connect/intentions). Right: intention. Spec 9.3. Errors: Invalid
   * (filter_invalid, field_too_long), PermissionDenied (caller_unknown, privilege_missing).
   */
  watchList(filter: IntentionFilter = {}, options?: WatchOptions): Watch<Intention[]> {
    return watchCall(this.#core, { endpoint: 'intentions.list', query: { ...filter } }, options)
  }

  /**
   * Creates an intention and returns its ID. Not retried if its outcome is unknown.
   *
   * Endpoint `intentions.create` (POST /v1/connect/intentions). Right: intention. Spec 9.5. Errors: Invalid
   * (field_required, field_invalid, namespace_unsupported), Unavailable (intentions_migrating), Conflict
   * (intention_edited, intention_in_use), PermissionDenied (caller_unknown, privilege_missing).
   *
   * @example
   * await client.intentions.create({ SourceName: 'shop', DestinationName: 'orders', Action: 'allow' })
   */
  create(intention: IntentionCreate, options: CallOptions = {}): Promise<Result<M, IntentionID>> {
    return call(this.#core, { endpoint: 'intentions.create', json: intention, options })
  }

  /**
   * Reads an intention by its ID. An edit through config entries removes the ID.
   *
   * Endpoint `intentions.read` (GET /v1/connect/intentions/:ID). Right: intention. Spec 9.5. Errors: Invalid
   * (id_missing, id_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  read(id: string, options: ReadOptions = {}): Promise<Result<M, Intention>> {
    return call(this.#core, { endpoint: 'intentions.read', params: { ID: id }, options })
  }

  /**
   * Replaces an intention; omitted fields are cleared.
   *
   * Endpoint `intentions.update` (PUT /v1/connect/intentions/:ID). Right: intention. Spec 9.5. Errors: Invalid
   * (field_required, field_invalid, namespace_unsupported, id_missing, id_invalid, field_immutable), Unavailable
   * (intentions_migrating), Conflict (intention_edited, intention_in_use), NotFound, PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  update(id: string, intention: IntentionUpdate, options: CallOptions = {}): Promise<Result<M, IntentionID>> {
    return call(this.#core, {
      endpoint: 'intentions.update',
      params: { ID: id },
      json: intention,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deletes an intention by its ID.
   *
   * Endpoint `intentions.delete` (DELETE /v1/connect/intentions/:ID). Right: intention. Spec 9.5. Errors:
   * Unavailable (intentions_migrating), Invalid (id_missing, id_invalid), NotFound, PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  delete(id: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return call(this.#core, {
      endpoint: 'intentions.delete',
      params: { ID: id },
      repeatable: 'always',
      recover: whenGone,
      options,
    })
  }

  /**
   * Reads an intention by source and destination.
   *
   * Endpoint `intentions.readExact` (GET /v1/connect/intentions/exact). Right: intention. Spec 9.5, from service
   * version 1.9.0. Errors: Invalid (field_required, field_invalid, namespace_unsupported), NotFound,
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  readExact(names: IntentionNames, options: ReadOptions = {}): Promise<Result<M, Intention>> {
    return call(this.#core, { endpoint: 'intentions.readExact', query: { ...names }, options })
  }

  /**
   * Creates or replaces an intention by source and destination. All intentions to the destination lose their IDs.
   *
   * Endpoint `intentions.writeExact` (PUT /v1/connect/intentions/exact). Right: intention. Spec 9.5, from service
   * version 1.9.0. Errors: Invalid (field_required, field_invalid, namespace_unsupported), Unavailable
   * (intentions_migrating), PermissionDenied (caller_unknown, privilege_missing).
   */
  writeExact(
    names: IntentionNames,
    intention: IntentionExact,
    options: CallOptions = {},
  ): Promise<Result<M, boolean>> {
    return call(this.#core, {
      endpoint: 'intentions.writeExact',
      query: { ...names },
      json: intention,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deletes an intention by source and destination. Also `true` if it did not exist.
   *
   * Endpoint `intentions.deleteExact` (DELETE /v1/connect/intentions/exact). Right: intention. Spec 9.5, from
   * service version 1.9.0. Errors: Invalid (field_required, field_invalid, namespace_unsupported), Unavailable
   * (intentions_migrating), PermissionDenied (caller_unknown, privilege_missing).
   */
  deleteExact(names: IntentionNames, options: CallOptions = {}): Promise<Result<M, boolean>> {
    const query = { ...names }
    return call(this.#core, {
      endpoint: 'intentions.deleteExact',
      query,
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Lists the intentions whose source or destination matches each of the given names, by name.
   *
   * Endpoint `intentions.match` (GET /v1/connect/intentions/match). Right: intention. Spec 9.5. Errors: Invalid
   * (field_required, field_invalid, namespace_unsupported, answer_too_large), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  match(
    by: 'source' | 'destination',
    names: readonly string[],
    options: ReadOptions = {},
  ): Promise<Result<M, IntentionMatches>> {
    return call(this.#core, { endpoint: 'intentions.match', query: { by, name: names }, options })
  }

  /**
   * Checks whether one service may connect to another.
   *
   * Endpoint `intentions.check` (GET /v1/connect/intentions/check). Right: intention. Spec 9.5. Errors: Invalid
   * (field_required, field_invalid, namespace_unsupported), PermissionDenied (caller_unknown, privilege_missing).
   *
   * @example
   * const { Allowed } = await client.intentions.check({ source: 'shop', destination: 'orders' })
   */
  check(names: IntentionNames, options: ReadOptions = {}): Promise<Result<M, IntentionCheck>> {
    return call(this.#core, { endpoint: 'intentions.check', query: { ...names }, options })
  }

  /**
   * Reads the progress of the migration of intentions to config entries.
   *
   * Endpoint `intentions.migration` (GET /v1/internal/intentions/migration). Right: acl:read. An extension of the
   * spec. Errors: PermissionDenied (caller_unknown, privilege_missing).
   */
  migration(options: CallOptions = {}): Promise<Result<M, IntentionMigration>> {
    return call(this.#core, { endpoint: 'intentions.migration', options })
  }
}
