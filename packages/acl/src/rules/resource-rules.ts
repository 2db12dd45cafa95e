/** The merged rules of one resource, arranged for questions. Reference 6.3. */
import type { MergedResource, MergedRule } from './merge-rules.ts'
import { PrefixIndex } from './prefix-index.ts'

export class ResourceRules {
  readonly #exact: ReadonlyMap<string, MergedRule>
  readonly #prefixes: PrefixIndex<MergedRule>
  /** Rules of either match that grant less than write, for questions about all names below a path. */
  readonly #notWritable: PrefixIndex<MergedRule>
  readonly #readAny: MergedRule | undefined
  readonly #writeAll: MergedRule | undefined

  constructor(merged: MergedResource) {
    this.#exact = merged.exact
    this.#prefixes = new PrefixIndex(merged.prefix.values())
    const all = [...merged.prefix.values(), ...merged.exact.values()]
    this.#notWritable = new PrefixIndex(distinct(all.filter((rule) => rule.level !== 'write')))
    const everything = merged.prefix.get('')
    this.#readAny =
      everything !== undefined && everything.level !== 'deny'
        ? everything
        : (all.find((rule) => rule.level !== 'deny') ?? everything)
    this.#writeAll =
      everything !== undefined && everything.level !== 'write'
        ? everything
        : (all.find((rule) => rule.level !== 'write') ?? everything)
  }

  /** The rule for one name: the exact one, else the longest prefix, else none. */
  ruleFor(segment: string): MergedRule | undefined {
    return this.#exact.get(segment) ?? this.#prefixes.longestPrefixOf(segment)
  }

  /**
   * The rule that decides whether all names that begin with a path may be written: the longest prefix that covers the
   * path where it does not grant write, else any rule at or below the path that does not, else the prefix again.
   */
  ruleForWritingBelow(path: string): MergedRule | undefined {
    const covering = this.#prefixes.longestPrefixOf(path)
    if (covering !== undefined && covering.level !== 'write') return covering
    return this.#notWritable.firstStartingWith(path) ?? covering
  }

  /** Intentions of any service (`*`), read: the rule that grants it, else the catch-all that denies it. */
  ruleForReadingAny(): MergedRule | undefined {
    return this.#readAny
  }

  /** Intentions of all services (`*`), write: the rule that refuses it, else the catch-all that grants it. */
  ruleForWritingAll(): MergedRule | undefined {
    return this.#writeAll
  }
}

/** One rule per segment: an exact and a prefix rule of one name would answer the same. */
function distinct(rules: readonly MergedRule[]): Iterable<MergedRule> {
  const bySegment = new Map<string, MergedRule>()
  for (const rule of rules) if (!bySegment.has(rule.segment)) bySegment.set(rule.segment, rule)
  return bySegment.values()
}
