import { type Core, call } from '../core.ts'
import { Legacy as RegularLegacy } from '../generated/legacy.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions } from '../options.ts'
import type { LegacyTokenID, LegacyTokenRequest } from '../types.ts'
import { randomUuid } from './uuid.ts'

export class Legacy<M extends Mode> extends RegularLegacy<M> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    super(core)
    this.#core = core
  }

  /**
   * Creates a legacy token, or overwrites the one with the same ID. The SDK generates an absent ID, so a retry is safe.
   *
   * Endpoint `legacy.create` (PUT /v1/acl/create). Right: acl:write. Spec 9.1, removed in 1.11. Errors: Invalid
   * (field_invalid, rules_invalid, legacy_token_immutable, id_reserved), PermissionDenied (root_name_refused,
   * caller_unknown, privilege_missing), Conflict (id_in_use).
   */
  create(token: LegacyTokenRequest = {}, options: CallOptions = {}): Promise<Result<M, LegacyTokenID>> {
    const ID = token.ID ?? randomUuid()
    return call(this.#core, {
      endpoint: 'legacy.create',
      json: { ...token, ID },
      secrets: [ID],
      ...(ID === '' ? {} : { repeatable: 'unlessPending' }),
      options,
    })
  }
}
