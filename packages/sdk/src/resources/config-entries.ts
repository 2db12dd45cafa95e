/** Config entries of kind `service-intentions`: the intentions to one destination. Spec 9.5. */
import { type Core, call, watchCall, watchRecordCall } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, OwnNames, ReadOptions, WatchOptions } from '../options.ts'
import type { ConfigEntry, ConfigEntryWrite } from '../types.ts'
import type { Watch } from '../watch.ts'

export interface EntryCasOptions extends CallOptions {
  /**
   * Apply the change only if the entry still has this ModifyIndex (0: only if it does not exist); otherwise return
   * `false`.
   */
  readonly cas?: number | undefined
}

const CAS_NAMES: OwnNames<EntryCasOptions> = { cas: true }

export class ConfigEntries<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Writes an entry, which replaces all intentions to its destination. Returns whether it was written.
   *
   * Endpoint `configEntries.write` (PUT /v1/config). Right: intention. Spec 9.5, from service version 1.9.0.
   * Errors: Invalid (field_required, field_invalid), Unavailable (intentions_migrating), PermissionDenied
   * (caller_unknown, privilege_missing).
   *
   * @example
   * const Sources = [{ Name: 'shop', Action: 'allow' }]
   * await client.configEntries.write({ Kind: 'service-intentions', Name: 'orders', Sources })
   */
  write(entry: ConfigEntryWrite, options: EntryCasOptions = {}): Promise<Result<M, boolean>> {
    const { cas } = options
    return call(this.#core, {
      endpoint: 'configEntries.write',
      query: { cas },
      ownNames: CAS_NAMES,
      json: entry,
      ...(cas === undefined ? { repeatable: 'unlessPending' } : {}),
      options,
    })
  }

  /**
   * Reads the entry of a destination.
   *
   * Endpoint `configEntries.read` (GET /v1/config/service-intentions/:Name). Right: intention. Spec 9.5, from
   * service version 1.9.0. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  read(name: string, options: ReadOptions = {}): Promise<Result<M, ConfigEntry>> {
    return call(this.#core, { ...readCall(name), options })
  }

  /**
   * Follows the entry of a destination; `value` is `undefined` while it does not exist.
   *
   * Endpoint `configEntries.read` (GET /v1/config/service-intentions/:Name). Right: intention. Spec 9.5, from
   * service version 1.9.0. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  watch(name: string, options?: WatchOptions): Watch<ConfigEntry | undefined> {
    return watchRecordCall(this.#core, readCall(name), options)
  }

  /**
   * Lists entries, in order of their names.
   *
   * Endpoint `configEntries.list` (GET /v1/config/service-intentions). Right: intention. Spec 9.5, from service
   * version 1.9.0. Errors: PermissionDenied (caller_unknown, privilege_missing).
   */
  list(options: ReadOptions = {}): Promise<Result<M, ConfigEntry[]>> {
    return call(this.#core, { endpoint: 'configEntries.list', options })
  }

  /**
   * Follows the list of entries.
   *
   * Endpoint `configEntries.list` (GET /v1/config/service-intentions). Right: intention. Spec 9.5, from service
   * version 1.9.0. Errors: PermissionDenied (caller_unknown, privilege_missing).
   */
  watchList(options?: WatchOptions): Watch<ConfigEntry[]> {
    return watchCall(this.#core, { endpoint: 'configEntries.list' }, options)
  }

  /**
   * Deletes an entry, and with it all intentions to its destination. An absent entry is not an error. With `cas`, from
   * service version 1.11, returns whether it was deleted.
   *
   * Endpoint `configEntries.delete` (DELETE /v1/config/service-intentions/:Name). Right: intention. Spec 9.5, from
   * service version 1.9.0. Errors: Invalid (id_missing), Unavailable (intentions_migrating), PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  delete(name: string, options: EntryCasOptions = {}): Promise<Result<M, object | boolean>> {
    const { cas } = options
    return call(this.#core, {
      endpoint: 'configEntries.delete',
      params: { Name: name },
      query: { cas },
      ownNames: CAS_NAMES,
      ...(cas === undefined ? { repeatable: 'unlessPending' } : {}),
      options,
    })
  }
}

function readCall(name: string) {
  return { endpoint: 'configEntries.read', params: { Name: name } } as const
}
