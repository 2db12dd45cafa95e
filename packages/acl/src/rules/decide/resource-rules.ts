/** The merged rules of one resource, indexed for questions. */
import type { MergedResource, MergedRule } from './merge-rules.ts'
import { PrefixIndex } from './prefix-index.ts'

/** Measured memory of a merged rule, including its source rule and index entries. */
export const MERGED_RULE_BYTES = 300

export class ResourceRules {
  /** Approximate memory. */
  readonly bytes: number
  /** Whether any rule grants write. */
  readonly grantsWrite: boolean
  /** The rule for reading intentions of any service (`*`): one that grants it, otherwise the catch-all that denies it. */
  readonly readAny: MergedRule | undefined
  /** The rule for writing intentions of all services (`*`): one that denies it, otherwise the catch-all that grants it. */
  readonly writeAll: MergedRule | undefined
  private readonly exact: ReadonlyMap<string, MergedRule>
  private readonly prefixes: PrefixIndex<MergedRule>
  /** Exact and prefix rules that grant less than write, for questions about all names below a path. */
  private readonly notWritable: PrefixIndex<MergedRule>
  /** Exact and prefix rules that grant anything. */
  private readonly readable: PrefixIndex<MergedRule>

  constructor({ exact, prefix }: MergedResource) {
    const all = [...prefix.values(), ...exact.values()]
    const notWritable = all.filter(({ level }) => level !== 'write')
    const readable = all.filter(({ level }) => level !== 'deny')
    const everything = prefix.get('')
    this.bytes = all.reduce((bytes, { segment }) => bytes + MERGED_RULE_BYTES + segment.length, 0)
    this.grantsWrite = notWritable.length < all.length
    this.readAny = firstOf(readable, everything)
    this.writeAll = firstOf(notWritable, everything)
    this.exact = exact
    this.prefixes = new PrefixIndex([...prefix.values()])
    this.notWritable = new PrefixIndex(distinct(notWritable))
    this.readable = new PrefixIndex(distinct(readable))
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
}

/** The catch-all if it is among the rules, otherwise the first rule, otherwise the catch-all. */
function firstOf(rules: readonly MergedRule[], everything: MergedRule | undefined): MergedRule | undefined {
  return everything !== undefined && rules.includes(everything) ? everything : (rules[0] ?? everything)
}

/** Keeps one rule per segment: the exact and the prefix rule for one name give the same answer. */
function distinct(rules: readonly MergedRule[]): readonly MergedRule[] {
  const bySegment = new Map<string, MergedRule>()
  for (const rule of rules) if (!bySegment.has(rule.segment)) bySegment.set(rule.segment, rule)
  return [...bySegment.values()]
}
