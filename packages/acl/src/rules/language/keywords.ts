/** The keywords of each dialect. Decisions: rule language. */
import { isScalar, nearestName, RULE_KINDS } from '@latchkey/contract'
import { type RuleKind, type RuleMatch, SEGMENT_KINDS } from './rule.ts'

export interface ParseRulesOptions {
  /**
   * `current`: the dialect of policies. `legacy`: the dialect of legacy tokens, in which every segment is a prefix and
   * unknown kinds are ignored with a warning.
   */
  readonly dialect?: 'current' | 'legacy'
  /** Accepts unknown kinds, unknown attributes and duplicates, each with a warning. Implied by `legacy`. */
  readonly lenient?: boolean
  /** The supported kinds; service versions before 1.11 have no `mesh`. Default: all. */
  readonly kinds?: ReadonlySet<RuleKind>
}

export interface Keyword {
  readonly kind: RuleKind
  readonly match: RuleMatch
}

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...RULE_KINDS.map((kind): [string, Keyword] => [
    kind,
    { kind, match: isScalar(kind) ? 'scalar' : 'exact' },
  ]),
  ...SEGMENT_KINDS.map((kind): [string, Keyword] => [`${kind}_prefix`, { kind, match: 'prefix' }]),
])

const LEGACY_SCALARS: ReadonlySet<RuleKind> = new Set(['keyring', 'operator'])

/** Finds a keyword case-insensitively; undefined if the dialect does not have it. */
export function findKeyword(word: string, options: ParseRulesOptions = {}): Keyword | undefined {
  const keyword = KEYWORDS.get(asciiLowerCase(word))
  if (keyword === undefined || options.kinds?.has(keyword.kind) === false) return undefined
  if (options.dialect !== 'legacy') return keyword
  if (keyword.match === 'exact') return { kind: keyword.kind, match: 'prefix' }
  return LEGACY_SCALARS.has(keyword.kind) ? keyword : undefined
}

/** Lower-cases only A to Z: no other character may fold into a keyword. */
export function asciiLowerCase(word: string): string {
  return word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

export function knownKeywords(options: ParseRulesOptions): readonly string[] {
  return [...KEYWORDS.keys()].filter((word) => findKeyword(word, options) !== undefined)
}

/** Words of rules that other editions of existing services have, and no edition of this service. */
const OF_OTHER_EDITIONS: ReadonlySet<string> = new Set([
  ...['namespace', 'namespace_prefix', 'partition', 'partition_prefix', 'sentinel'],
])

/** What helps with an unknown word, to follow it in a message; empty if nothing does. */
export function hintAbout(word: string, known: readonly string[]): string {
  if (OF_OTHER_EDITIONS.has(asciiLowerCase(word)))
    return ', which belongs to another edition that this service does not implement'
  const [, stem = word, suffix = ''] = /^(.*?)(_prefix)?$/is.exec(word) ?? []
  const nearest = nearestName(stem, known)
  if (nearest === undefined) return ''
  return ` (did you mean ${known.find((each) => each === nearest + asciiLowerCase(suffix)) ?? nearest}?)`
}
