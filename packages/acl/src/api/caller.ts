/** Who asks: from the presented secret to the rights of its token. Spec 5. */
import { AclError, REDACTED_SECRET_ID } from '@latchkey/contract'
import {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  ANONYMOUS_TOKEN_SECRET_ID,
  GLOBAL_MANAGEMENT_POLICY_ID,
  ROOT_NAMES,
} from '../builtin.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { Authorizer } from '../rules/authorizer.ts'
import { type AuthorizerCache, createAuthorizerCache } from '../rules/authorizer-cache.ts'
import type { Question } from '../rules/question.ts'
import type { Directory } from '../store/directory.ts'
import type { TokenRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { BLANK_TOKEN } from '../token/blank-token.ts'
import { isExpired } from '../token/expiration.ts'
import type { ApiOptions } from './options.ts'

export interface Caller {
  readonly token: TokenRecord
  readonly authorizer: Authorizer
  /** Whether the rights hold in every namespace: the token has global-management. Spec 4.9. */
  readonly isGlobal: boolean
  /** False: the anonymous token stands in. */
  readonly presented: boolean
  /** The presented secret names no token, on an endpoint that asks for no right. */
  readonly unknown?: true
}

/** The anonymous token before its record exists: no links, no rights. */
const NOBODY: TokenRecord = {
  ...BLANK_TOKEN,
  AccessorID: ANONYMOUS_TOKEN_ACCESSOR_ID,
  SecretID: ANONYMOUS_TOKEN_SECRET_ID,
  Description: 'Anonymous Token',
}

interface Rights {
  readonly directoryVersion: number
  readonly authorizer: Authorizer
  readonly isGlobal: boolean
}

/** Resolves callers. Rights are kept per token record, and judged anew when the directory has changed. */
export class Callers {
  private readonly options: ApiOptions
  private readonly authorizers: AuthorizerCache
  private readonly rights = new WeakMap<TokenRecord, Rights>()

  constructor(options: ApiOptions) {
    this.options = options
    this.authorizers = createAuthorizerCache({ maxEntries: 10_000 })
  }

  /**
   * The caller that a secret names; without one, the anonymous token.
   *
   * @throws AclError `caller_unknown` where the secret is unknown or its token is expired. Spec 5; decisions.
   */
  resolve(secretId: string | undefined, directory: Directory, store: Store): MaybePromise<Caller> {
    if (secretId === undefined) {
      return andThen(store.tokenByAccessor(ANONYMOUS_TOKEN_ACCESSOR_ID), (found) => {
        const token = found ?? NOBODY
        const { authorizer, isGlobal } = this.rightsOf(token, directory)
        return { token, presented: false, authorizer, isGlobal }
      })
    }
    if (isNeverASecret(secretId)) throw callerUnknown()
    return andThen(store.tokenBySecret(secretId), (token) => {
      if (!token || isExpired(token, this.options.clock.now())) throw callerUnknown()
      const { authorizer, isGlobal } = this.rightsOf(token, directory)
      return { token, presented: true, authorizer, isGlobal }
    })
  }

  /** The rights of a token, whoever asks. */
  rightsOf(token: TokenRecord, directory: Directory): Pick<Caller, 'authorizer' | 'isGlobal'> {
    const known = this.rights.get(token)
    if (known && known.directoryVersion === directory.version) return known
    const { datacenter, defaultPolicy, profile } = this.options
    // Spec 9.1: the legacy system is gone from 1.11, and with it the rights that only it gave.
    const legacyRules = profile.has('upgrade.legacyRules')
    const authorizer = this.authorizers.authorizerOf(token, directory, {
      datacenter,
      defaultPolicy,
      legacyRules,
    })
    const rights = {
      directoryVersion: directory.version,
      authorizer,
      isGlobal: isGlobal(token, directory, legacyRules),
    }
    this.rights.set(token, rights)
    return rights
  }
}

export function callerUnknown(): AclError {
  return new AclError('caller_unknown', 'ACL not found')
}

/** Redaction text and root names are poison on every way in. Design 4; reference 3. */
function isNeverASecret(text: string): boolean {
  return text === REDACTED_SECRET_ID || ROOT_NAMES.has(text)
}

function isGlobal(token: TokenRecord, directory: Directory, legacyRules: boolean): boolean {
  if (legacyRules && token.Type === 'management') return true
  const isBuiltin = (link: { readonly ID: string }) => link.ID === GLOBAL_MANAGEMENT_POLICY_ID
  return (
    token.Policies.some(isBuiltin) ||
    token.Roles.some((role) => directory.role(role.ID)?.Policies.some(isBuiltin))
  )
}

/**
 * Holds a caller to a right in a namespace.
 *
 * @throws AclError `privilege_missing`, saying who lacks what.
 */
export function requireRight(caller: Caller, namespace: string, question: Question): void {
  const isAtHome = caller.isGlobal || caller.token.Namespace === namespace
  if (!isAtHome || !caller.authorizer.decide(question)) throw privilegeMissing(caller, question)
}

export function privilegeMissing(caller: Caller, { resource, segment, access }: Question): AclError {
  const on =
    segment === undefined || resource === 'acl' || resource === 'operator'
      ? ''
      : ` on ${JSON.stringify(segment)}`
  const lacks = `lacks permission '${resource}:${access}'${on}`
  const isAnonymous = caller.token.AccessorID === ANONYMOUS_TOKEN_ACCESSOR_ID
  const message = isAnonymous
    ? `Permission denied: anonymous token ${lacks}. The anonymous token is used implicitly when a request does not specify a token.`
    : `Permission denied: token with AccessorID '${caller.token.AccessorID}' ${lacks}`
  return new AclError('privilege_missing', message, {
    accessorId: caller.token.AccessorID,
    missing: { resource, access, ...(segment === undefined ? {} : { segment }) },
  })
}
