/** The merged rules of one resource, indexed for questions. */

import type { MergedResource, MergedRule } from '../decide/merge-rules.ts'
import { type PrefixIndex, prefixIndexOf } from '../decide/prefix-index.ts'

/** Measured memory of a merged rule, including its source rule and index entries. */
export const MERGED_RULE_BYTES = 300

export function resourceRulesOf(merged: MergedResource): ResourceRules {
  const all = [...merged.prefix.values(), ...merged.exact.values()]
  const prefixes = prefixIndexOf([...merged.prefix.values()])
  const notWritable = prefixIndexOf(distinct(all.filter((rule) => rule.level !== 'write')))
  const readable = prefixIndexOf(distinct(all.filter((rule) => rule.level !== 'deny')))
  return new ResourceRules(merged, all, { prefixes, notWritable, readable })
}

export class ResourceRules {
  /** Approximate memory. */
  readonly bytes: number
  private readonly exact: ReadonlyMap<string, MergedRule>
  private readonly prefixes: PrefixIndex<MergedRule>
  /** Exact and prefix rules that grant less than write, for questions about all names below a path. */
  private readonly notWritable: PrefixIndex<MergedRule>
  /** Exact and prefix rules that grant anything. */
  private readonly readable: PrefixIndex<MergedRule>
  private readonly readAny: MergedRule | undefined
  private readonly writeAll: MergedRule | undefined
  /** Whether any rule grants write. */
  readonly grantsWrite: boolean

  /** Called by {@link resourceRulesOf}. */
  constructor(
    merged: MergedResource,
    all: readonly MergedRule[],
    {
      prefixes,
      notWritable,
      readable,
    }: Readonly<Record<'prefixes' | 'notWritable' | 'readable', PrefixIndex<MergedRule>>>,
  ) {
    this.bytes = all.reduce((bytes, { segment }) => bytes + MERGED_RULE_BYTES + segment.length, 0)
    this.exact = merged.exact
    this.prefixes = prefixes
    this.notWritable = notWritable
    this.readable = readable
    this.grantsWrite = all.some(({ level }) => level === 'write')
    const everything = merged.prefix.get('')
    this.readAny =
      everything !== undefined && everything.level !== 'deny'
        ? everything
        : (all.find((rule) => rule.level !== 'deny') ?? everything)
    this.writeAll =
      everything !== undefined && everything.level !== 'write'
        ? everything
        : (all.find((rule) => rule.level !== 'write') ?? everything)
  }

  /** The rule for one name: the exact rule, otherwise the longest prefix, otherwise none. */
  ruleFor(segment: string): MergedRule | undefined {
    return this.exact.get(segment) ?? this.prefixes.longestPrefixOf(segment)
  }

  /**
   * The rule that decides whether all names below a path may be written: any rule at or below the path that does not
   * grant write, which a rule for the path cannot change; otherwise the longest prefix of the path.
   */
  ruleForWritingBelow(path: string): MergedRule | undefined {
    return this.notWritable.firstStartingWith(path) ?? this.prefixes.longestPrefixOf(path)
  }

  /**
   * The rule that decides whether any name below a path may be read: the longest prefix of the path if it grants read,
   * otherwise any rule at or below the path that does, otherwise the prefix.
   */
  ruleForReadingBelow(path: string): MergedRule | undefined {
    const covering = this.prefixes.longestPrefixOf(path)
    if (covering !== undefined && covering.level !== 'deny') return covering
    return this.readable.firstStartingWith(path) ?? covering
  }

  /**
   * The rule for reading intentions of any service (`*`): a rule that grants it, otherwise the catch-all that denies
   * it.
   */
  ruleForReadingAny(): MergedRule | undefined {
    return this.readAny
  }

  /**
   * The rule for writing intentions of all services (`*`): a rule that denies it, otherwise the catch-all that grants
   * it.
   */
  ruleForWritingAll(): MergedRule | undefined {
    return this.writeAll
  }
}

/** Keeps one rule per segment: the exact and the prefix rule for one name give the same answer. */
function distinct(rules: readonly MergedRule[]): readonly MergedRule[] {
  const bySegment = new Map<string, MergedRule>()
  for (const rule of rules) if (!bySegment.has(rule.segment)) bySegment.set(rule.segment, rule)
  return [...bySegment.values()]
}
