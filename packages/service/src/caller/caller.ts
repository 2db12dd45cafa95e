/** From the presented secret to the rights of its token. Spec 5. */
import type { CompiledInput, Directory, IdleLimit, Question, Resource, TokenRecord } from '@latchkey/acl'
import {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  ANONYMOUS_TOKEN_SECRET_ID,
  Authorizer,
  BLANK_TOKEN,
  compileAuthorizer,
  DEFAULT_NAMESPACE,
  GLOBAL_MANAGEMENT_POLICY_ID,
  GLOBAL_MANAGEMENT_POLICY_NAME,
  globalManagementRules,
  idleLimitOf,
  isExpired,
  isGlobalManager,
  isOfLoginHere,
  methodOf,
  parseRules,
  ROOT_NAMES,
} from '@latchkey/acl'
import { AclError, type AclErrorDetails, limits, REDACTED_SECRET_ID, shorten } from '@latchkey/contract'
import { isSecondary, type Place, type ServiceOptions } from '../options.ts'
import type { KnownToken, Store, StoreMemory, TokenUse } from '../store/store.ts'
import { StepCounter, type Turns } from '../turns.ts'
import type { AuthorizerOptions } from './authorizer-cache.ts'
import { AuthorizerCache, waysTo } from './authorizer-cache.ts'
import type { RemoteTokens } from './remote-tokens.ts'

export interface Presented {
  readonly token: TokenRecord
  /** False for the anonymous token. */
  readonly presented: boolean
  /** Why the presented secret is unknown, on an endpoint that needs no right. */
  readonly unknown?: AclError
  readonly idleLimit?: IdleLimit
}

interface Rights {
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

/**
 * The anonymous token while its record has not arrived from the primary. Its policies may deny something, so it has no rights,
 * not even those of the default policy.
 */
const UNKNOWN_ANONYMOUS_TOKEN: TokenRecord = { ...NO_TOKEN }

type CachedRights = { readonly directoryVersion: number; readonly key: string; readonly isGlobal: boolean }
type Resolving = { readonly directoryVersion: number; readonly rights: Promise<Rights> }

const EVERYTHING: CompiledInput = {
  key: 'everything',
  policyId: GLOBAL_MANAGEMENT_POLICY_ID,
  policyName: GLOBAL_MANAGEMENT_POLICY_NAME,
  path: { via: 'policy' },
  ruleSet: parseRules(globalManagementRules()),
}

/** Compiled rules and parsed texts, in bytes. A typical set takes a few kilobytes. */
const AUTHORIZERS_BYTES_MAX = 67_108_864

type CallersOptions = Place &
  Pick<ServiceOptions, 'aclEnabled' | 'defaultPolicy' | 'profile' | 'clock' | 'edition'>

/** Resolves callers. Rights are cached per token record until the directory changes. */
export class Callers {
  readonly turns: Turns
  /** Set if tokens are not replicated. */
  private readonly remote: RemoteTokens | undefined
  private readonly options: CallersOptions
  private readonly authorizerOptions: AuthorizerOptions
  private readonly authorizers: AuthorizerCache = new AuthorizerCache(AUTHORIZERS_BYTES_MAX)
  private readonly cachedRights = new WeakMap<TokenRecord, CachedRights>()
  private readonly resolving = new Map<TokenRecord, Resolving>()
  /** Set with ACLs off: the rights of every caller, whatever token it presents. */
  private readonly everything: Rights | undefined

  constructor(options: CallersOptions, turns: Turns, remote?: RemoteTokens) {
    const { datacenter, defaultPolicy, profile } = options
    // Spec 9.1: 1.11 removes the legacy system, and with it the rights that come from it alone.
    const legacyRules = profile.has('upgrade.legacyRules')
    this.authorizerOptions = { datacenter, defaultPolicy, legacyRules }
    this.options = options
    this.turns = turns
    this.remote = remote
    if (!options.aclEnabled) {
      const authorizer = compileAuthorizer([EVERYTHING], { defaultPolicy: 'allow' })
      this.everything = { authorizer, isGlobal: true }
    }
  }

  /**
   * The token of a secret; without a secret or with ACLs off, the anonymous token. Notes the use of a token with an idle limit.
   *
   * @param heldMs how long the request may wait; the token counts as used for this time.
   * @throws AclError `caller_unknown` if the secret is unknown or its token is gone; `copy_incomplete` if it may still arrive.
   *   Spec 5; decisions: authentication.
   */
  async resolve(secretId: string | undefined, store: Store, heldMs = 0): Promise<Presented> {
    if (this.everything) return { token: NO_TOKEN, presented: false }
    checkSecret(secretId)
    const before = this.firstCopyOf(store.directory())
    const token = await this.find(secretId, store)
    const presented = this.present(secretId, token, store.directory(), before)
    const use = this.useOf(presented, heldMs)
    if (use && !store.tokenUses.noteKnown(use) && !(await store.tokenUses.use(use))) throw callerUnknown()
    return presented
  }

  /** Like {@link resolve}, from memory; `undefined` if the store must be queried. */
  peek(
    secretId: string | undefined,
    store: Store,
    { directory, heldMs }: { readonly directory: Directory; readonly heldMs: number },
  ): Presented | undefined {
    const { memory } = store
    if (!memory) return undefined
    if (this.everything) return { token: NO_TOKEN, presented: false }
    checkSecret(secretId)
    const known = this.known(secretId, store, memory)
    const presented = known && this.present(secretId, known.record, directory)
    const use = presented && this.useOf(presented, heldMs)
    return use === undefined || store.tokenUses.noteKnown(use) ? presented : undefined
  }

  private find(secretId: string | undefined, store: Store): Promise<TokenRecord | undefined> {
    const remote = this.remoteFor(store)
    if (remote) return remote.bySecret(secretId ?? ANONYMOUS_TOKEN_SECRET_ID)
    return secretId === undefined ? findAnonymous(store) : store.tokenBySecret(secretId)
  }

  private known(secretId: string | undefined, store: Store, memory: StoreMemory): KnownToken | undefined {
    const remote = this.remoteFor(store)
    if (remote) return remote.peek(secretId ?? ANONYMOUS_TOKEN_SECRET_ID)
    return secretId === undefined ? knownAnonymous(memory) : memory.tokenBySecret(secretId)
  }

  noteChange(accessorId: string): void {
    this.remote?.noteChange(accessorId)
  }

  /** A promoted datacenter has its own tokens. */
  private remoteFor(store: Pick<Store, 'directory'>): RemoteTokens | undefined {
    return this.remote && isSecondary({ ...this.options, store }) ? this.remote : undefined
  }

  private useOf({ token, idleLimit: limit }: Presented, heldMs: number): TokenUse | undefined {
    if (limit === undefined) return undefined
    const now = this.options.clock.now()
    return { accessorId: token.AccessorID, limit, now, until: now + heldMs }
  }

  /** @param before state of the first copy when the look-up of the token began; the result of the look-up may be that old. */
  private present(
    secretId: string | undefined,
    token: TokenRecord | undefined,
    directory: Directory,
    before?: FirstCopy,
  ): Presented {
    const now = this.firstCopyOf(directory)
    const copy = before === undefined || before === now ? now : 'begun'
    if (secretId === undefined) return { token: this.anonymous(token, copy, directory), presented: false }
    // Other records on which its rights depend may be missing.
    if (copy === 'begun' && token?.Local !== true) throw copyIncomplete(this.options)
    if (!token) throw copy === 'missing' ? copyIncomplete(this.options) : callerUnknown()
    if (isExpired(token, this.options.clock.now())) throw callerUnknown()
    const isOfLogin = isOfLoginHere(token, directory)
    const method = isOfLogin ? methodOf(token, directory) : undefined
    if (isOfLogin && !method) throw callerUnknown()
    // The standard edition has no namespaces, so it ignores tokens of any but `default`. Decisions: namespaces.
    if (this.options.edition === 'standard' && token.Namespace !== DEFAULT_NAMESPACE) throw callerUnknown()
    const idleLimit = method && idleLimitOf(token, method)
    return idleLimit ? { token, presented: true, idleLimit } : { token, presented: true }
  }

  private firstCopyOf(directory: Directory): FirstCopy {
    if (!isSecondary({ ...this.options, store: { directory: () => directory } })) return 'complete'
    // In legacy mode nothing is replicated; the datacenter uses the copies that it already has.
    const mode = directory.system('acl-mode')?.Value
    if (mode?.mode === 'legacy') return mode.beganEmpty ? 'missing' : 'complete'
    const record = directory.system('replication')?.Value
    if (record === undefined) return 'missing'
    if (record.index === 0) return 'begun'
    // If token replication has only now been turned on, the tokens arrive with the next copy.
    return record.withoutTokens && !this.remote ? 'missing' : 'complete'
  }

  private anonymous(token: TokenRecord | undefined, copy: FirstCopy, directory: Directory): TokenRecord {
    // Other records on which its rights depend may be missing.
    if (copy === 'begun') return UNKNOWN_ANONYMOUS_TOKEN
    if (token) return token
    const isOfPrimary = copy === 'missing' || this.remoteFor({ directory: () => directory }) !== undefined
    return isOfPrimary ? UNKNOWN_ANONYMOUS_TOKEN : NO_TOKEN
  }

  private optionsFor(token: TokenRecord): AuthorizerOptions {
    const options = this.authorizerOptions
    return token === UNKNOWN_ANONYMOUS_TOKEN ? { ...options, defaultPolicy: 'deny' } : options
  }

  knows(token: TokenRecord, directory: Directory): boolean {
    return this.cachedRights.get(token)?.directoryVersion === directory.version
  }

  /**
   * The rights of a token.
   * @param counter of long work. Concurrent callers share this work, so a disconnecting client does not stop it.
   */
  async rightsOf(token: TokenRecord, directory: Directory, counter = new StepCounter(this)): Promise<Rights> {
    const known = this.peekRights(token, directory)
    if (known) return known
    const running = this.resolving.get(token)
    if (running?.directoryVersion === directory.version) return running.rights
    const rights = this.findRights(token, directory, counter)
    const resolving = { directoryVersion: directory.version, rights }
    this.resolving.set(token, resolving)
    try {
      return await rights
    } finally {
      if (this.resolving.get(token) === resolving) this.resolving.delete(token)
    }
  }

  peekRights(token: TokenRecord, directory: Directory): Rights | undefined {
    if (this.everything) return this.everything
    const rights = this.cachedRights.get(token)
    if (rights?.directoryVersion !== directory.version) return undefined
    const policies = this.authorizers.cached(rights.key)
    if (!policies) return undefined
    const ways = waysTo(token, directory, this.authorizerOptions)
    return { authorizer: new Authorizer(policies, ways), isGlobal: rights.isGlobal }
  }

  private async findRights(token: TokenRecord, directory: Directory, counter: StepCounter): Promise<Rights> {
    const options = { ...this.optionsFor(token), counter }
    const { authorizer, key } = await this.authorizers.find(token, directory, options)
    const isGlobal = isGlobalManager(token, directory, this.authorizerOptions.legacyRules)
    this.cachedRights.set(token, { directoryVersion: directory.version, key, isGlobal })
    return { authorizer, isGlobal }
  }
}

/** By accessor, which avoids hashing a secret; by secret while it is a legacy token without an accessor. Spec 9.2.3. */
async function findAnonymous(store: Store): Promise<TokenRecord | undefined> {
  const token = await store.tokenByAccessor(ANONYMOUS_TOKEN_ACCESSOR_ID)
  return token ?? store.tokenBySecret(ANONYMOUS_TOKEN_SECRET_ID)
}

function knownAnonymous(memory: StoreMemory): KnownToken | undefined {
  const known = memory.tokenByAccessor(ANONYMOUS_TOKEN_ACCESSOR_ID)
  return known && !known.record ? memory.tokenBySecret(ANONYMOUS_TOKEN_SECRET_ID) : known
}

export function callerUnknown(): AclError {
  return new AclError('caller_unknown', 'ACL not found')
}

export function isCallerUnknown(error: unknown): error is AclError {
  return error instanceof AclError && (error.code === 'caller_unknown' || error.code === 'copy_incomplete')
}

type FirstCopy = 'missing' | 'begun' | 'complete'

/** Not `caller_unknown`, because clients would then discard valid credentials. */
function copyIncomplete({ primaryDatacenter }: Place): AclError {
  const message = `The tokens of the primary datacenter ${JSON.stringify(primaryDatacenter)} have not all arrived yet`
  return new AclError('copy_incomplete', message, { headers: { 'Retry-After': '1' } })
}

/**
 * Refuses, before any look-up, texts that cannot be secrets: overlong ones, the redaction text, and the root names.
 * @throws AclError `caller_unknown`.
 */
function checkSecret(text: string | undefined): void {
  if (text === undefined) return
  if (text.length > limits.LEGACY_SECRET_LENGTH_MAX || text === REDACTED_SECRET_ID || ROOT_NAMES.has(text))
    throw callerUnknown()
}

/** Whether a caller's rights apply in a namespace. Decisions: rights across namespaces. */
export function isAtHome(caller: Pick<Caller, 'token' | 'isGlobal'>, namespace: string): boolean {
  return caller.isGlobal || caller.token.Namespace === namespace
}

export type RightsHolder = Pick<Caller, 'token' | 'authorizer' | 'isGlobal'>

const NAMESPACED: ReadonlySet<Resource> = new Set(['acl', 'intention', 'key', 'service'])

/** The namespace in which a right is needed for a question that is asked in a namespace. */
export function homeOfQuestion({ resource }: Question, namespace: string): string {
  return NAMESPACED.has(resource) ? namespace : DEFAULT_NAMESPACE
}

export function mayIn(holder: RightsHolder, namespace: string, question: Question): boolean {
  return isAtHome(holder, homeOfQuestion(question, namespace)) && holder.authorizer.decide(question)
}

/** @param named what the refusal says instead, such as the request's spelling of a name. @throws AclError `privilege_missing`. */
export function requireRight(
  caller: Caller,
  namespace: string,
  question: Question,
  named: Partial<Question> = {},
): void {
  if (!isAtHome(caller, namespace) || !caller.authorizer.decide(question))
    throw privilegeMissing(caller, { ...question, ...named })
}

/**
 * Like {@link requireRight}, on a name that the request does not contain. The refusal names it only if the caller may read it.
 *
 * @throws AclError `privilege_missing`.
 */
export function requireRightToStored(caller: Caller, namespace: string, question: Question): void {
  const { resource, access } = question
  if (isAtHome(caller, namespace) && caller.authorizer.decide({ ...question, access: 'read' }))
    requireRight(caller, namespace, question)
  else throw privilegeMissing(caller, { resource, access }, ' on a record that it may not read')
}

/**
 * The refusal of a caller without a right, naming both.
 * @param on the object of the right, if the question does not name it.
 */
export function privilegeMissing(
  caller: Caller,
  { resource, segment, access }: Question,
  on = segment === undefined || resource === 'acl' || resource === 'operator'
    ? ''
    : ` on ${JSON.stringify(shorten(segment))}`,
): AclError {
  return permissionDenied(caller, `lacks permission '${resource}:${access}'${on}`, {
    missing: { resource, access, ...(segment === undefined ? {} : { segment: shorten(segment) }) },
  })
}

/** The refusal of a change that only global managers may make. Decisions: rights across namespaces. */
export function globalManagementMissing(caller: Caller): AclError {
  return permissionDenied(
    caller,
    `lacks the policy '${GLOBAL_MANAGEMENT_POLICY_NAME}', which is needed to change what acts in every namespace`,
  )
}

function permissionDenied(
  caller: Caller,
  lacks: string,
  details: Pick<AclErrorDetails, 'missing'> = {},
): AclError {
  const isAnonymous = caller.token.SecretID === ANONYMOUS_TOKEN_SECRET_ID
  const message = isAnonymous
    ? `Permission denied: anonymous token ${lacks}. The anonymous token is used implicitly when a request does not specify a token.`
    : `Permission denied: token with AccessorID '${caller.token.AccessorID}' ${lacks}`
  return new AclError('privilege_missing', message, { accessorId: caller.token.AccessorID, ...details })
}
