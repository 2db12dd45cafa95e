/** Backup and restore of the whole store. */
import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions } from '../options.ts'
import { send } from '../request/send.ts'
import type { RestoredSnapshot } from '../types.ts'

export class Snapshots<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Reads an archive of the whole store at one commit index, into memory. For a large store use `latchkey-server backup`, which
   * writes a file.
   *
   * Endpoint `snapshots.read` (GET /v1/snapshot). Right: operator:read. Spec 9.4. Errors: Invalid
   * (endpoint_not_built), PermissionDenied (caller_unknown, privilege_missing).
   */
  async read(options: CallOptions = {}): Promise<Result<M, Uint8Array>> {
    const answer = send<'snapshots.read', Uint8Array>(this.#core.settings, {
      endpoint: 'snapshots.read',
      form: 'bytes',
      options,
    })
    return this.#core.shape(await answer)
  }

  /**
   * Replaces the whole store by an archive, or changes nothing. A restore whose outcome is unknown is not repeated.
   *
   * Endpoint `snapshots.restore` (PUT /v1/snapshot). Right: operator:write. Spec 9.4. Errors: Invalid
   * (endpoint_not_built, body_malformed, snapshot_invalid), Conflict (snapshot_refused), PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  restore(archive: Uint8Array, options: CallOptions = {}): Promise<Result<M, RestoredSnapshot>> {
    return call(this.#core, { endpoint: 'snapshots.restore', body: archive, options })
  }
}
