/** A bounded cache of compiled authorizers, one per distinct set of policies. Decisions: authorizer cache. */

import {
  Authorizer,
  type AuthorizerDefaults,
  atOnce,
  type CompiledInput,
  type CompiledPolicies,
  compareSources,
  compilePolicies,
  type EffectivePoliciesOptions,
  EMPTY_RULE_SET,
  findEffectivePolicies,
  type LinkLookup,
  Pace,
  type PolicySource,
  pathsOf,
  type ReadText,
  readText,
  type Sliced,
  sortInSlices,
  type TokenLinks,
} from '@latchkey/acl'
import { blake2b } from '@noble/hashes/blake2.js'
import { BoundedMap } from '../bounded-map.ts'

interface AuthorizerCacheOptions {
  /** Approximate memory: half for compiled sets, half for parsed texts. */
  readonly bytesMax: number
}

/** What determines the rights of a token besides its links. */
export type AuthorizerOptions = EffectivePoliciesOptions & AuthorizerDefaults

export interface AuthorizerCache {
  /** The authorizer of a token, from its {@link findEffectivePolicies}. */
  authorizerOf(token: TokenLinks, lookup: LinkLookup, options: AuthorizerOptions): Authorizer
  /** Like {@link AuthorizerCache.authorizerOf}, but sliced, and with the key of the compiled set. */
  find(
    token: TokenLinks,
    lookup: LinkLookup,
    options: AuthorizerOptions,
  ): Sliced<{ readonly authorizer: Authorizer; readonly key: string }>
  /** The compiled set of a key, if cached. */
  kept(key: string): CompiledPolicies | undefined
  /** The authorizer of a token with these sources; their order does not matter. */
  authorizer(sources: readonly PolicySource[], defaults: AuthorizerDefaults): Authorizer
  /** Cached compiled sets and parsed texts, and their approximate memory. */
  size(): { readonly compiled: number; readonly texts: number; readonly bytes: number }
}

export function createAuthorizerCache({ bytesMax }: AuthorizerCacheOptions): AuthorizerCache {
  // Keeps a set that exceeds the bound until the next one arrives; otherwise every request would compile it again.
  const compiled = new BoundedMap<string, CompiledPolicies>(bytesMax / 2, { keepsLast: true })
  const texts = new BoundedMap<string, ReadText>(bytesMax / 2)

  function* read(source: PolicySource): Sliced<CompiledInput> {
    const { text, dialect, ...rest } = source
    if (source.unreadable !== undefined) return { ...rest, ruleSet: EMPTY_RULE_SET }
    const known = texts.get(source.key)
    if (known !== undefined) return { ...rest, ...known }
    const fresh = yield* readText(text, dialect)
    return { ...rest, ...texts.set(source.key, fresh, bytesOfText(source, fresh)) }
  }

  function* compile(sources: readonly PolicySource[], defaults: AuthorizerDefaults) {
    const ordered = yield* sortInSlices(sources, compareSources)
    const key = yield* keyOf(ordered, defaults)
    const known = compiled.get(key)
    if (known !== undefined) return { key, policies: known }
    const inputs: CompiledInput[] = []
    const pace = new Pace()
    for (const source of ordered) {
      if (pace.isDue(STEPS_PER_TEXT)) yield
      inputs.push(yield* read(source))
    }
    const policies = yield* compilePolicies(inputs, defaults)
    return { key, policies: compiled.set(key, policies, policies.bytes + key.length) }
  }

  function* find(token: TokenLinks, lookup: LinkLookup, options: AuthorizerOptions) {
    const sources = yield* findEffectivePolicies(token, lookup, options)
    const { key, policies } = yield* compile(sources, options)
    return { key, authorizer: new Authorizer(policies, waysTo(token, lookup, options)) }
  }

  return {
    authorizerOf: (token, lookup, options) => atOnce(find(token, lookup, options)).authorizer,
    find,
    kept: (key) => compiled.get(key),
    authorizer: (sources, defaults) =>
      new Authorizer(atOnce(compile(sources, defaults)).policies, () => pathsOf(sources)),
    size: () => ({ compiled: compiled.size, texts: texts.size, bytes: compiled.weight + texts.weight }),
  }
}

/** Which links of a token lead to each source. Computed only for explanations. */
export function waysTo(
  token: TokenLinks,
  lookup: LinkLookup,
  options: EffectivePoliciesOptions,
): ConstructorParameters<typeof Authorizer>[1] {
  return function* () {
    return yield* pathsOf(yield* findEffectivePolicies(token, lookup, options))
  }
}

/** The cost of parsing a short text, such as a synthetic policy. */
const STEPS_PER_TEXT = 20

/** Measured memory of a parsed rule, and of a rule set with its cache entry. */
const RULE_BYTES = 150
const TEXT_BYTES = 500

function bytesOfText({ key, text }: PolicySource, { ruleSet }: ReadText): number {
  return TEXT_BYTES + key.length + text.length + ruleSet.rules.length * RULE_BYTES
}

/** Longer keys, in characters, are hashed. */
const KEY_LENGTH_MAX = 1_024
/** Characters hashed at a time, and characters per step. */
const HASHED_LENGTH = 16_384
const HASHED_LENGTH_PER_STEP = 50

/** Equal keys mean equal sources and an equal default. */
function* keyOf(ordered: readonly PolicySource[], { defaultPolicy }: AuthorizerDefaults): Sliced<string> {
  const pace = new Pace()
  let text = JSON.stringify(defaultPolicy)
  let hash: ReturnType<typeof blake2b.create> | undefined
  for (const { key } of ordered) {
    if (pace.isDue()) yield
    text += `,${JSON.stringify(key)}`
    if (hash === undefined && text.length <= KEY_LENGTH_MAX) continue
    hash ??= blake2b.create({ dkLen: 32 })
    for (; text.length >= HASHED_LENGTH; text = text.slice(HASHED_LENGTH)) {
      if (pace.isDue(HASHED_LENGTH / HASHED_LENGTH_PER_STEP)) yield
      // Hashes UTF-16 units, because a cut may split a surrogate pair.
      hash.update(unitsOf(text.slice(0, HASHED_LENGTH)))
    }
  }
  if (hash === undefined) return text
  return `#${btoa(String.fromCharCode(...hash.update(unitsOf(text)).digest()))}`
}

function unitsOf(text: string): Uint8Array {
  const units = new Uint8Array(2 * text.length)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    units[2 * i] = unit & 0xff
    units[2 * i + 1] = unit >> 8
  }
  return units
}

/** Numbers objects, so that a cache key can refer to them. A number is not reused when its object is garbage-collected. */
export class ObjectNumbers {
  private readonly numbers = new WeakMap<object, number>()
  private count = 0

  of(object: object): number {
    let number = this.numbers.get(object)
    if (number === undefined) {
      this.count += 1
      number = this.count
      this.numbers.set(object, number)
    }
    return number
  }
}
