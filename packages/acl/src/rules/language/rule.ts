/** What a policy says, once read: a list of rules. Decisions: rule language. */

/** Every kind of rule, in the order in which the reference lists them. */
export const RULE_KINDS = [
  'acl',
  'agent',
  'event',
  'key',
  'keyring',
  'mesh',
  'node',
  'operator',
  'peering',
  'query',
  'service',
  'session',
] as const
export type RuleKind = (typeof RULE_KINDS)[number]

/** Kinds with one level and no segment: `acl = "read"`. */
export const SCALAR_KINDS = ['acl', 'keyring', 'mesh', 'operator', 'peering'] as const
export type ScalarKind = (typeof SCALAR_KINDS)[number]

/** Kinds with a segment, each exact (`key "a"`) and as a prefix (`key_prefix "a"`). */
export const SEGMENT_KINDS = ['agent', 'event', 'key', 'node', 'query', 'service', 'session'] as const

/** Levels, weakest grant first. `list` is for keys only. */
export const RULE_LEVELS = ['deny', 'read', 'list', 'write'] as const
export type RuleLevel = (typeof RULE_LEVELS)[number]

/** A level as a text gives it. `none`: one that is written in another case. It denies where no other rule has a level. */
export type GivenLevel = RuleLevel | 'none'

/** How a rule's segment is compared: not at all, with the whole name, or with its beginning. */
export type RuleMatch = 'scalar' | 'exact' | 'prefix'

/** One rule of a policy. */
export interface Rule {
  readonly kind: RuleKind
  readonly match: RuleMatch
  /** Compared by case; empty for a scalar. An empty prefix matches every name. */
  readonly segment: string
  readonly level: GivenLevel
  /** Only on `service`: the level for intentions. Absent: derived from `level`. */
  readonly intentions?: GivenLevel
  /** Where the rule's kind begins in its text, from 1. */
  readonly line: number
  readonly column: number
}

/** What a lenient reading let pass. */
export type RuleWarningCode =
  | 'syntax_tolerated'
  | 'kind_ignored'
  | 'attribute_ignored'
  | 'duplicate_merged'
  | 'level_unset'
  | 'level_case'

/** Something that the reading accepted and that has no effect, or not the one it seems to have. */
export interface RuleWarning {
  readonly code: RuleWarningCode
  readonly message: string
  readonly line: number
  readonly column: number
}

/** The rules of one text, in the order in which they stand there, each (kind, match, segment) once. */
export interface RuleSet {
  readonly rules: readonly Rule[]
  readonly warnings: readonly RuleWarning[]
}

/** The rule set of an empty text: grants nothing. */
export const EMPTY_RULE_SET: RuleSet = { rules: [], warnings: [] }

export function isScalarKind(kind: RuleKind): kind is ScalarKind {
  return (SCALAR_KINDS as readonly string[]).includes(kind)
}

/** The keyword that begins the rule in a text: `key`, `key_prefix`, `acl`. */
export function ruleKeyword(rule: Pick<Rule, 'kind' | 'match'>): string {
  return rule.match === 'prefix' ? `${rule.kind}_prefix` : rule.kind
}

/** The stronger of two levels for one segment: deny > write > list > read > none. */
function mergeLevels(a: GivenLevel, b: GivenLevel): GivenLevel {
  return MERGE_RANK[a] >= MERGE_RANK[b] ? a : b
}

/** Place of each level in the merge of policies: the highest decides. */
export const MERGE_RANK: Readonly<Record<GivenLevel, number>> = {
  none: 0,
  read: 1,
  list: 2,
  write: 3,
  deny: 4,
}

/** Two rules for one segment: policy and intentions merge separately. */
export function mergeRules(a: Rule, b: Rule): Rule {
  const level = mergeLevels(a.level, b.level)
  const intentions = mergeOptional(a.intentions, b.intentions)
  return intentions === undefined ? { ...a, level } : { ...a, level, intentions }
}

function mergeOptional(a: GivenLevel | undefined, b: GivenLevel | undefined): GivenLevel | undefined {
  return a === undefined || b === undefined ? (a ?? b) : mergeLevels(a, b)
}
