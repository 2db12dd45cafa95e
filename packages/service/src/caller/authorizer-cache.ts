/** A bounded cache of compiled authorizers, one per distinct set of policies. Decisions: authorizer cache. */
import {
  Authorizer,
  type AuthorizerDefaults,
  type CompiledInput,
  CompiledPolicies,
  compareSources,
  type EffectivePoliciesOptions,
  EMPTY_RULE_SET,
  effectivePolicies,
  type LinkLookup,
  type PolicySource,
  pathsOf,
  type ReadText,
  readText,
  type TokenLinks,
} from '@latchkey/acl'
import { blake2b } from '@noble/hashes/blake2.js'
import { BoundedMap } from '../bounded-map.ts'
import type { StepCounter } from '../turns.ts'

export type AuthorizerOptions = EffectivePoliciesOptions & AuthorizerDefaults

interface Paused {
  readonly counter: StepCounter
}

export class AuthorizerCache {
  private readonly compiled: BoundedMap<string, CompiledPolicies>
  private readonly texts: BoundedMap<string, ReadText>

  /** @param bytesMax approximate memory: half for compiled sets, half for parsed texts. */
  constructor(bytesMax: number) {
    // Keeps a set that exceeds the bound until the next one arrives; otherwise every request would compile it again.
    this.compiled = new BoundedMap(bytesMax / 2, { keepsLast: true })
    this.texts = new BoundedMap(bytesMax / 2)
  }

  /** The authorizer of a token, from its {@link effectivePolicies}, and the key of the compiled set. */
  async find(token: TokenLinks, lookup: LinkLookup, options: AuthorizerOptions & Paused) {
    const { key, policies } = await this.compile(effectivePolicies(token, lookup, options), options)
    return { key, authorizer: new Authorizer(policies, waysTo(token, lookup, options)) }
  }

  cached(key: string): CompiledPolicies | undefined {
    return this.compiled.get(key)
  }

  /** Compiles sources, whose order does not matter. */
  async compile(sources: readonly PolicySource[], defaults: AuthorizerDefaults & Paused) {
    const { counter } = defaults
    await counter.count(sources.length)
    const ordered = sources.toSorted(compareSources)
    const key = keyOf(ordered, defaults)
    const known = this.compiled.get(key)
    if (known !== undefined) return { key, policies: known }
    const inputs: CompiledInput[] = []
    for (const source of ordered) {
      const text = this.texts.get(source.key)
      await counter.count(STEPS_PER_TEXT + (text ? 0 : source.text.length / CHARACTERS_PER_STEP))
      inputs.push(this.read(source, text))
    }
    await counter.count(inputs.reduce((steps, { ruleSet }) => steps + ruleSet.rules.length, 0))
    const policies = new CompiledPolicies(inputs, defaults)
    return { key, policies: this.compiled.set(key, policies, policies.bytes + key.length) }
  }

  size() {
    const { compiled, texts } = this
    return { compiled: compiled.size, texts: texts.size, bytes: compiled.weight + texts.weight }
  }

  private read(source: PolicySource, known: ReadText | undefined): CompiledInput {
    const { text, dialect, ...rest } = source
    if (source.unreadable !== undefined) return { ...rest, ruleSet: EMPTY_RULE_SET }
    if (known !== undefined) return { ...rest, ...known }
    const fresh = readText(text, dialect)
    return { ...rest, ...this.texts.set(source.key, fresh, bytesOfText(source, fresh)) }
  }
}

/** Which links of a token lead to each source. Computed only for explanations. */
export function waysTo(
  token: TokenLinks,
  lookup: LinkLookup,
  options: EffectivePoliciesOptions,
): ConstructorParameters<typeof Authorizer>[1] {
  return () => pathsOf(effectivePolicies(token, lookup, options))
}

/** The cost of parsing a short text, such as a synthetic policy. */
const STEPS_PER_TEXT = 20
/** Characters of a long text that are parsed in about a microsecond. */
const CHARACTERS_PER_STEP = 4

/** Measured memory of a parsed rule, and of a rule set with its cache entry. */
const RULE_BYTES = 150
const TEXT_BYTES = 500

function bytesOfText({ key, text }: PolicySource, { ruleSet }: ReadText): number {
  return TEXT_BYTES + key.length + text.length + ruleSet.rules.length * RULE_BYTES
}

/** Longer keys, in characters, are hashed. */
const KEY_LENGTH_MAX = 1_024

/** Equal keys mean equal sources and an equal default. */
function keyOf(ordered: readonly PolicySource[], { defaultPolicy }: AuthorizerDefaults): string {
  const text = [defaultPolicy, ...ordered.map(({ key }) => key)].map((part) => JSON.stringify(part)).join()
  if (text.length <= KEY_LENGTH_MAX) return text
  return `#${btoa(String.fromCharCode(...blake2b(unitsOf(text), { dkLen: 32 })))}`
}

/** UTF-16 units, so that no two texts have the same bytes. */
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
