/** One compiled authorizer per distinct set of policies, shared by all tokens that have it, bounded. Design 3. */
import { AclError } from '@latchkey/contract'
import { Authorizer, CompiledPolicies, pathsOf } from './authorizer.ts'
import {
  type EffectivePoliciesOptions,
  effectivePolicies,
  type LinkLookup,
  type TokenLinks,
} from './effective-policies.ts'
import { parseRules } from './parse-rules.ts'
import type { AuthorizerDefaults, CompiledInput, PolicySource } from './policy-source.ts'
import { EMPTY_RULE_SET, type RuleSet } from './rule.ts'

export interface AuthorizerCacheOptions {
  /** Most compiled sets kept; the one used longest ago goes first. */
  readonly maxEntries: number
  /** Most characters of rule text whose reading is kept. Default {@link RULE_TEXT_LENGTH_MAX}. */
  readonly maxTextLength?: number
}

/** About what a few thousand policies of ordinary size take. */
export const RULE_TEXT_LENGTH_MAX = 16_777_216

export interface AuthorizerCache {
  /** The authorizer of a token, by its {@link effectivePolicies}. */
  authorizerOf(
    token: TokenLinks,
    lookup: LinkLookup,
    options: EffectivePoliciesOptions & AuthorizerDefaults,
  ): Authorizer
  /** The authorizer of a token with these sources; their order does not matter. */
  authorizer(sources: readonly PolicySource[], defaults: AuthorizerDefaults): Authorizer
  /** How many compiled sets and read texts are kept. */
  size(): { readonly compiled: number; readonly texts: number }
}

/** A text, read, or why it cannot be. */
type ReadText = Pick<CompiledInput, 'ruleSet' | 'unreadable'>

/** @returns a cache of its own; with one or without, every answer is the same. */
export function createAuthorizerCache(options: AuthorizerCacheOptions): AuthorizerCache {
  const compiled = new BoundedMap<CompiledPolicies>(options.maxEntries)
  const texts = new BoundedMap<ReadText>(options.maxTextLength ?? RULE_TEXT_LENGTH_MAX)
  const read = (source: PolicySource): CompiledInput => {
    const { text, dialect, ...rest } = source
    const known = texts.get(source.key) ?? texts.set(source.key, readText(text, dialect), text.length + 1)
    return { ...rest, ...known }
  }
  const authorizer: AuthorizerCache['authorizer'] = (sources, defaults) => {
    const ordered = [...sources].sort(byKey)
    const key = JSON.stringify([defaults.defaultPolicy, ...ordered.map((source) => source.key)])
    const policies =
      compiled.get(key) ?? compiled.set(key, new CompiledPolicies(ordered.map(read), defaults), 1)
    return new Authorizer(policies, pathsOf(sources))
  }
  return {
    authorizer,
    authorizerOf: (token, lookup, options) => authorizer(effectivePolicies(token, lookup, options), options),
    size: () => ({ compiled: compiled.size, texts: texts.size }),
  }
}

/**
 * Reads a stored text. It was checked when it was written, perhaps by another version, so what would be refused now
 * is let pass; where even that fails, the token can do nothing.
 */
export function readText(text: string, dialect: PolicySource['dialect']): ReadText {
  try {
    return { ruleSet: readRuleSet(text, dialect) }
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    return { ruleSet: EMPTY_RULE_SET, unreadable: error.message }
  }
}

function readRuleSet(text: string, dialect: PolicySource['dialect']): RuleSet {
  return text === '' ? EMPTY_RULE_SET : parseRules(text, { dialect, lenient: true })
}

function byKey(a: PolicySource, b: PolicySource): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

/** Keeps what was used last, up to a total weight. */
class BoundedMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly weight: number }>()
  readonly #maxWeight: number
  #weight = 0

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // A Map keeps the order of insertion: what was inserted last is used last.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps a value whose key is not in the map. */
  set(key: string, value: Value, weight: number): Value {
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const [oldest, entry] of this.#entries) {
      if (this.#weight <= this.#maxWeight) break
      this.#entries.delete(oldest)
      this.#weight -= entry.weight
    }
    return value
  }
}
