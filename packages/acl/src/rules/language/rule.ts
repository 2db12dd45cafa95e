/** Parsed rules. Decisions: rule language. */
import { isScalar, RULE_KINDS, type RuleKind } from '@latchkey/contract'

export type { RuleKind }

/** Kinds with one level and no segment: `acl = "read"`. */
export const SCALAR_KINDS = RULE_KINDS.filter(isScalar)

/** Kinds with a segment, which can be exact (`key "a"`) or a prefix (`key_prefix "a"`). */
export const SEGMENT_KINDS = RULE_KINDS.filter((kind) => !isScalar(kind))

/** Levels, weakest grant first. `list` exists only for keys. */
export const RULE_LEVELS = ['deny', 'read', 'list', 'write'] as const
export type RuleLevel = (typeof RULE_LEVELS)[number]

/** A level as written. `none`: a level in the wrong case, which denies unless another rule has a level. */
export type GivenLevel = RuleLevel | 'none'

export type RuleMatch = 'scalar' | 'exact' | 'prefix'

export interface Rule {
  readonly kind: RuleKind
  readonly match: RuleMatch
  /** Case-sensitive; empty for a scalar. An empty prefix matches every name. */
  readonly segment: string
  readonly level: GivenLevel
  /** Only for `service`: the level for intentions. Absent: derived from `level`. */
  readonly intentions?: GivenLevel
  readonly line: number
  readonly column: number
}

/** What a lenient reader accepts with a warning. */
export type RuleWarningCode =
  | 'syntax_tolerated'
  | 'kind_ignored'
  | 'attribute_ignored'
  | 'duplicate_merged'
  | 'level_unset'
  | 'level_case'

/** Accepted text that has no effect, or a different effect than it seems to have. */
export interface RuleWarning {
  readonly code: RuleWarningCode
  readonly message: string
  readonly line: number
  readonly column: number
}

/** The rules of one text, in its order. Each combination of kind, match and segment occurs once. */
export interface RuleSet {
  readonly rules: readonly Rule[]
  readonly warnings: readonly RuleWarning[]
}

export const EMPTY_RULE_SET: RuleSet = { rules: [], warnings: [] }

export function ruleKeyword(rule: Pick<Rule, 'kind' | 'match'>): string {
  return rule.match === 'prefix' ? `${rule.kind}_prefix` : rule.kind
}

/** The stronger of two levels for one segment: deny > write > list > read > none. */
function mergeLevels(a: GivenLevel, b: GivenLevel): GivenLevel {
  return MERGE_RANK[a] >= MERGE_RANK[b] ? a : b
}

/** The rank of each level in a merge: the highest wins. */
export const MERGE_RANK: Readonly<Record<GivenLevel, number>> = {
  none: 0,
  read: 1,
  list: 2,
  write: 3,
  deny: 4,
}

export function mergeRules(a: Rule, b: Rule): Rule {
  const level = mergeLevels(a.level, b.level)
  const intentions =
    a.intentions === undefined || b.intentions === undefined
      ? (a.intentions ?? b.intentions)
      : mergeLevels(a.intentions, b.intentions)
  return intentions === undefined ? { ...a, level } : { ...a, level, intentions }
}
