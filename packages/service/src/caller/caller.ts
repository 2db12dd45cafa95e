/** Who asks: from the presented secret to the rights of its token. Spec 5. */

import type { Directory, Question, TokenRecord } from '@latchkey/acl'
import {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  ANONYMOUS_TOKEN_SECRET_ID,
  Authorizer,
  BLANK_TOKEN,
  DEFAULT_NAMESPACE,
  GLOBAL_MANAGEMENT_POLICY_NAME,
  inTurns,
  isExpired,
  isGlobalManager,
  ROOT_NAMES,
  type Sliced,
  type Turns,
} from '@latchkey/acl'
import { AclError, type AclErrorDetails, limits, REDACTED_SECRET_ID, shorten } from '@latchkey/contract'
import type { ServiceOptions } from '../options.ts'
import type { Store, StoreMemory } from '../store/store.ts'
import {
  type AuthorizerCache,
  type AuthorizerOptions,
  createAuthorizerCache,
  waysTo,
} from './authorizer-cache.ts'

/** The token that a request is judged by. */
export interface Presented {
  readonly token: TokenRecord
  /** False: the anonymous token is used. */
  readonly presented: boolean
  /** The presented secret names no token, on an endpoint that asks for no right. */
  readonly unknown?: true
}

export interface Rights {
  readonly authorizer: Authorizer
  /** Whether the rights hold in every namespace: the token has global-management. Spec 4.9. */
  readonly isGlobal: boolean
}

export interface Caller extends Presented, Rights {}

/** The anonymous token before its record exists: no links, no rights. */
const NO_TOKEN: TokenRecord = {
  ...BLANK_TOKEN,
  AccessorID: ANONYMOUS_TOKEN_ACCESSOR_ID,
  SecretID: ANONYMOUS_TOKEN_SECRET_ID,
  Description: 'Anonymous Token',
}

/** What is kept of a token's rights. The compiled rules are the cache's, which bounds them. */
interface KeptRights {
  readonly directoryVersion: number
  readonly key: string
  readonly isGlobal: boolean
}

/** Rights on their way, for all who wait for them. */
interface Resolving {
  readonly directoryVersion: number
  readonly rights: Promise<Rights>
}

/** Compiled rules and texts that were read, in bytes: a set of ordinary size takes a few kilobytes. */
const AUTHORIZERS_BYTES_MAX = 67_108_864

/** Resolves callers. Rights are cached per token record until the directory changes. */
export class Callers {
  private readonly turns: Turns
  private readonly authorizerOptions: AuthorizerOptions
  private readonly clock: ServiceOptions['clock']
  private readonly edition: ServiceOptions['edition']
  private readonly authorizers: AuthorizerCache = createAuthorizerCache({ bytesMax: AUTHORIZERS_BYTES_MAX })
  private readonly kept = new WeakMap<TokenRecord, KeptRights>()
  private readonly resolving = new Map<TokenRecord, Resolving>()

  constructor(options: ServiceOptions, turns: Turns) {
    const { datacenter, defaultPolicy, profile, clock, edition } = options
    // Spec 9.1: the legacy system is gone from 1.11, and with it the rights that only it gave.
    const legacyRules = profile.has('upgrade.legacyRules')
    this.authorizerOptions = { datacenter, defaultPolicy, legacyRules }
    this.clock = clock
    this.edition = edition
    this.turns = turns
  }

  /**
   * The token that a secret names; without a secret, the anonymous token.
   *
   * @throws AclError `caller_unknown` if the secret is unknown or its token is expired. Spec 5; decisions: authentication.
   */
  async resolve(secretId: string | undefined, store: Store): Promise<Presented> {
    checkSecret(secretId)
    const token =
      secretId === undefined
        ? await store.tokenByAccessor(ANONYMOUS_TOKEN_ACCESSOR_ID)
        : await store.tokenBySecret(secretId)
    return this.present(secretId, token)
  }

  /** As {@link resolve}, from memory; `undefined` if the store must be asked. */
  peek(secretId: string | undefined, memory: StoreMemory): Presented | undefined {
    checkSecret(secretId)
    const known =
      secretId === undefined
        ? memory.tokenByAccessor(ANONYMOUS_TOKEN_ACCESSOR_ID)
        : memory.tokenBySecret(secretId)
    return known && this.present(secretId, known.record)
  }

  private present(secretId: string | undefined, token: TokenRecord | undefined): Presented {
    if (secretId === undefined) return { token: token ?? NO_TOKEN, presented: false }
    if (!token || isExpired(token, this.clock.now())) throw callerUnknown()
    // The standard edition has no namespaces, so a token of one does not exist there. Decisions: namespaces.
    if (this.edition === 'standard' && token.Namespace !== DEFAULT_NAMESPACE) throw callerUnknown()
    return { token, presented: true }
  }

  /** Whether the rights of a token are known, so that asking for them costs next to nothing. */
  knows(token: TokenRecord, directory: Directory): boolean {
    return this.kept.get(token)?.directoryVersion === directory.version
  }

  /**
   * The rights of a token.
   *
   * @param turns for long work. Concurrent callers share that work, so it does not end with a client.
   */
  async rightsOf(token: TokenRecord, directory: Directory, turns: Turns = this.turns): Promise<Rights> {
    const known = this.peekRights(token, directory)
    if (known) return known
    const running = this.resolving.get(token)
    if (running?.directoryVersion === directory.version) return running.rights
    const rights = inTurns(this.findRights(token, directory), { turns })
    const resolving = { directoryVersion: directory.version, rights }
    this.resolving.set(token, resolving)
    try {
      return await rights
    } finally {
      if (this.resolving.get(token) === resolving) this.resolving.delete(token)
    }
  }

  /** The rights of a token, if they are known. */
  peekRights(token: TokenRecord, directory: Directory): Rights | undefined {
    const kept = this.kept.get(token)
    if (kept?.directoryVersion !== directory.version) return undefined
    const policies = this.authorizers.kept(kept.key)
    if (!policies) return undefined
    const ways = waysTo(token, directory, this.authorizerOptions)
    return { authorizer: new Authorizer(policies, ways), isGlobal: kept.isGlobal }
  }

  private *findRights(token: TokenRecord, directory: Directory): Sliced<Rights> {
    const { authorizer, key } = yield* this.authorizers.find(token, directory, this.authorizerOptions)
    const isGlobal = isGlobalManager(token, directory, this.authorizerOptions.legacyRules)
    this.kept.set(token, { directoryVersion: directory.version, key, isGlobal })
    return { authorizer, isGlobal }
  }
}

export function callerUnknown(): AclError {
  return new AclError('caller_unknown', 'ACL not found')
}

/**
 * Refuses what is never a secret, before a store or a cache sees it: a text that is too long, the redaction text, and the
 * root names.
 *
 * @throws AclError `caller_unknown`.
 */
function checkSecret(text: string | undefined): void {
  if (text === undefined) return
  if (text.length > limits.LEGACY_SECRET_LENGTH_MAX || text === REDACTED_SECRET_ID || ROOT_NAMES.has(text)) {
    throw callerUnknown()
  }
}

/** Whether a caller has rights in a namespace at all. Decisions: rights across namespaces. */
export function isAtHome(caller: Pick<Caller, 'token' | 'isGlobal'>, namespace: string): boolean {
  return caller.isGlobal || caller.token.Namespace === namespace
}

/**
 * Holds a caller to a right in a namespace.
 *
 * @throws AclError `privilege_missing`, saying who lacks what.
 */
export function requireRight(caller: Caller, namespace: string, question: Question): void {
  if (!isAtHome(caller, namespace) || !caller.authorizer.decide(question))
    throw privilegeMissing(caller, question)
}

function privilegeMissing(caller: Caller, { resource, segment, access }: Question): AclError {
  const on =
    segment === undefined || resource === 'acl' || resource === 'operator'
      ? ''
      : ` on ${JSON.stringify(shorten(segment))}`
  return permissionDenied(caller, `lacks permission '${resource}:${access}'${on}`, {
    missing: { resource, access, ...(segment === undefined ? {} : { segment: shorten(segment) }) },
  })
}

/** What only global managers may change was asked for by another. Decisions: rights across namespaces. */
export function globalManagementMissing(caller: Caller): AclError {
  return permissionDenied(
    caller,
    `lacks the policy '${GLOBAL_MANAGEMENT_POLICY_NAME}', which is needed to change what has it`,
  )
}

function permissionDenied(
  caller: Caller,
  lacks: string,
  details: Pick<AclErrorDetails, 'missing'> = {},
): AclError {
  const isAnonymous = caller.token.AccessorID === ANONYMOUS_TOKEN_ACCESSOR_ID
  const message = isAnonymous
    ? `Permission denied: anonymous token ${lacks}. The anonymous token is used implicitly when a request does not specify a token.`
    : `Permission denied: token with AccessorID '${caller.token.AccessorID}' ${lacks}`
  return new AclError('privilege_missing', message, {
    accessorId: caller.token.AccessorID,
    ...details,
  })
}
