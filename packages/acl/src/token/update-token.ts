/** The rules of update and delete, and where tokens are written. Spec 4.5, 4.7; decisions: tokens, writes in a secondary. */

import { AclError, REDACTED_SECRET_ID, type UpdateToken } from '@latchkey/contract'
import { ANONYMOUS_TOKEN_ACCESSOR_ID } from '../builtin.ts'
import type { Directory } from '../records/directory.ts'
import { fieldsOf, type TokenRecord } from '../records/records.ts'
import { decideTokenLinks, withTokenHash } from './create-token.ts'
import { expirationMs } from './expiration.ts'

interface UpdateContext {
  /** As spelled in the path; its case may differ from the stored accessor. */
  readonly pathAccessorId: string
  readonly directory: Directory
  /** Fields to keep because the request's service version does not support them. Default: none. */
  readonly kept?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/** Checks that an accessor in the body equals the accessor in the path exactly. Spec 4.5.1. */
export function checkBodyAccessor(pathAccessorId: string, request: UpdateToken): void {
  if (request.AccessorID && request.AccessorID !== pathAccessorId) {
    throw new AclError('accessor_mismatch', 'Token Accessor ID in URL and payload do not match', {
      field: 'AccessorID',
    })
  }
}

/**
 * Builds the updated record. Replaces Description and the four link lists, and clears them if omitted; keeps
 * SecretID, AuthMethod and ExpirationTime (spec 4.5.3, 4.5.5, 4.5.6); drops legacy rules, which converts a
 * legacy token. @param existing the stored token; not modified.
 */
export function updateToken(
  existing: TokenRecord,
  request: UpdateToken,
  { pathAccessorId, directory, kept = NONE }: UpdateContext,
): TokenRecord {
  if (request.SecretID && request.SecretID !== existing.SecretID) {
    const hint =
      request.SecretID === REDACTED_SECRET_ID ? ': the body holds the redaction text; leave SecretID out' : ''
    throw immutable('SecretID', `Changing a token's SecretID is not permitted${hint}`)
  }
  checkLocal(existing, request)
  if (request.AuthMethod && request.AuthMethod !== existing.AuthMethod) {
    throw immutable('AuthMethod', `Cannot change AuthMethod of ${existing.AccessorID}`)
  }
  checkExpiration(existing, request)
  const links = decideTokenLinks(request, { namespace: existing.Namespace, directory, local: existing.Local })
  if (pathAccessorId !== existing.AccessorID) {
    throw immutable(
      'AccessorID',
      'The ACL Token AccessorID field is immutable: it differs in case from the stored one',
    )
  }
  // Without a spread of the record, the compiler asks for each new field.
  return withTokenHash({
    AccessorID: existing.AccessorID,
    SecretID: existing.SecretID,
    Description: request.Description ?? '',
    ...links,
    ...fieldsOf(existing, kept),
    Rules: '',
    Type: '',
    Local: existing.Local,
    AuthMethod: existing.AuthMethod,
    AuthMethodNamespace: existing.AuthMethodNamespace,
    AuthMethodGeneration: existing.AuthMethodGeneration,
    LoginIdentity: existing.LoginIdentity,
    ExpirationTime: existing.ExpirationTime,
    CreateTime: existing.CreateTime,
    Hash: existing.Hash,
    CreateIndex: existing.CreateIndex,
    ModifyIndex: existing.ModifyIndex,
    Namespace: existing.Namespace,
  })
}

/** Spec 4.5.4. Omitted means false, so an update of a local token must send Local. */
function checkLocal(existing: TokenRecord, request: UpdateToken): void {
  if ((request.Local ?? false) === existing.Local) return
  const hint = request.Local === undefined ? ': Local was omitted, which means false; send "Local": true' : ''
  throw new AclError('local_mismatch', `Cannot toggle local mode of ${existing.AccessorID}${hint}`, {
    field: 'Local',
  })
}

/** Spec 4.5.6: compares instants; a lifetime is always a change. Decisions: tokens. */
function checkExpiration(existing: TokenRecord, request: UpdateToken): void {
  const message = `Cannot change expiration time of ${existing.AccessorID}`
  if (request.ExpirationTTL) throw immutable('ExpirationTTL', message)
  if (request.ExpirationTime !== undefined && request.ExpirationTime !== expirationMs(existing)) {
    throw immutable('ExpirationTime', message)
  }
}

function immutable(field: string, message: string): AclError {
  return new AclError('field_immutable', message, { field })
}

export function checkDelete(existing: TokenRecord, caller: TokenRecord): void {
  if (existing.AccessorID === ANONYMOUS_TOKEN_ACCESSOR_ID) {
    throw new AclError('delete_refused', 'Delete operation not permitted on the anonymous token')
  }
  if (existing.SecretID === caller.SecretID) {
    throw new AclError('delete_refused', "Deletion of the request's authorization token is not permitted")
  }
}

/** `here`: in the datacenter that received the request. */
export type WritePlace = 'here' | 'primary'

/**
 * Where a secondary writes a token: local tokens here, all others in the primary.
 * @param existing the token to clone, change or delete, if it is known here. An unknown token may be a global
 * token that has not arrived yet, so the primary decides.
 * @param requestedLocal `Local` of a create or an update. If it contradicts the token, the write is refused
 * here, as in the primary.
 */
export function placeOfTokenWrite(
  existing: Pick<TokenRecord, 'Local'> | undefined,
  requestedLocal?: boolean,
): WritePlace {
  return existing?.Local || requestedLocal ? 'here' : 'primary'
}
