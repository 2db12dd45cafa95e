/** The words that begin a rule, by dialect. Decisions: rule language. */
import { isScalarKind, RULE_KINDS, type RuleKind, type RuleMatch, SEGMENT_KINDS } from './rule.ts'

/** How a text is to be read. */
export interface ParseRulesOptions {
  /**
   * `current`: as policies are written. `legacy`: as the rules of legacy tokens are evaluated, every segment a prefix,
   * everything unknown ignored with a warning.
   */
  readonly dialect?: 'current' | 'legacy'
  /** Lets unknown kinds and attributes and duplicates pass, each with a warning. Always so for `legacy`. */
  readonly lenient?: boolean
  /** The kinds that exist; a service version below 1.11 knows no `mesh`. Absent: all. */
  readonly kinds?: ReadonlySet<RuleKind>
}

/** What the keyword of an item says. */
export interface Keyword {
  readonly kind: RuleKind
  readonly match: RuleMatch
}

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...RULE_KINDS.map((kind): [string, Keyword] => [
    kind,
    { kind, match: isScalarKind(kind) ? 'scalar' : 'exact' },
  ]),
  ...SEGMENT_KINDS.map((kind): [string, Keyword] => [`${kind}_prefix`, { kind, match: 'prefix' }]),
])

/** Kinds that legacy evaluation knows besides the segment kinds. */
const LEGACY_SCALARS: ReadonlySet<RuleKind> = new Set(['keyring', 'operator'])

/** The keyword of a dialect, read without case; undefined where the dialect does not know it. */
export function findKeyword(word: string, options: ParseRulesOptions = {}): Keyword | undefined {
  const keyword = KEYWORDS.get(asciiLowerCase(word))
  if (keyword === undefined || options.kinds?.has(keyword.kind) === false) return undefined
  if (options.dialect !== 'legacy') return keyword
  if (keyword.match === 'exact') return { kind: keyword.kind, match: 'prefix' }
  return LEGACY_SCALARS.has(keyword.kind) ? keyword : undefined
}

/** Lower case of the letters A to Z alone: no other character folds into a keyword. */
export function asciiLowerCase(word: string): string {
  return word.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** All words that {@link findKeyword} knows, for a message. */
export function knownKeywords(options: ParseRulesOptions): string {
  return [...KEYWORDS.keys()].filter((word) => findKeyword(word, options) !== undefined).join(', ')
}
