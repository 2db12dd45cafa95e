/** Whether a rule text can be read on its way from 1.3.x to a policy, and which decisions change. */
import { parseLegacyRules, parseRules, type Rule, type RuleSet, translateLegacyRules } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { isPlain } from './plain-rules.ts'
import { findReadingDifference, type ReadingComparison } from './reading-difference.ts'
import { differenceOf, type RightsDifference } from './rights-difference.ts'

export interface RuleAnalysis {
  /** Why the text cannot be parsed. Every use of the token is refused, and the other fields are absent. */
  readonly unreadable?: string
  /** Lines that legacy evaluation ignores: `acl`, `*_prefix` and unknown kinds. */
  readonly ignored: readonly string[]
  /** How the source service reads the text, if it does so differently; also for a text that cannot be parsed. */
  readonly reading?: ReadingComparison
  /** What the upgrade to 1.4.0 alone changes: segments named twice. */
  readonly at140?: RightsDifference
  /** Segments are named twice, in a form whose older interpretation cannot be determined. */
  readonly isDuplicateUnclear?: true
  /** What changes if the reference's translation of the rules becomes a policy. */
  readonly translated?: RightsDifference
  /** Why the translation is not a valid policy. */
  readonly untranslatable?: string
}

/** Analyzes one text. @param options.widening whether to translate like the reference or like Latchkey. */
export function analyzeRules(text: string, options: { widening: 'keep' | 'comment-out' }): RuleAnalysis {
  if (isPlain(text)) return { ignored: [] }
  const legacy = tryTo(() => parseLegacyRules(text))
  const reading = findReadingDifference(text, 'value' in legacy ? legacy.value.rules : undefined)
  const common = reading === undefined ? {} : { reading }
  if ('error' in legacy) return { unreadable: legacy.error, ignored: [], ...common }
  const ignored = legacy.value.warnings.filter(({ code }) => code === 'kind_ignored')
  return {
    ignored: ignored.map(({ message }) => message),
    ...common,
    ...analyzeDuplicates(text, legacy.value),
    ...analyzeTranslation(text, legacy.value, options.widening),
  }
}

function analyzeDuplicates(
  text: string,
  merged: RuleSet,
): Pick<RuleAnalysis, 'at140' | 'isDuplicateUnclear'> {
  if (!merged.warnings.some((warning) => warning.code === 'duplicate_merged')) return {}
  const before = lastWins(text, merged)
  if (before === undefined) return { isDuplicateUnclear: true }
  const at140 = differenceOf(before, merged.rules)
  return at140 === undefined ? {} : { at140 }
}

function analyzeTranslation(
  text: string,
  legacy: RuleSet,
  widening: 'keep' | 'comment-out',
): Pick<RuleAnalysis, 'translated' | 'untranslatable'> {
  const policy = tryTo(() => {
    const { rules } = translateLegacyRules(text, { widening })
    return parseRules(rules, { lenient: widening === 'keep' }).rules
  })
  if ('error' in policy) return { untranslatable: policy.error }
  const after = widening === 'keep' ? moveNames(text, legacy.rules, policy.value) : policy.value
  const translated = differenceOf(legacy.rules, after)
  return translated === undefined ? {} : { translated }
}

/** Words that the reference rewrites wherever they begin an item. */
const WORDS: ReadonlySet<string> = new Set(['agent', 'event', 'key', 'node', 'query', 'service', 'session'])

/** A bug of the reference: in `service { "key" { … } }` it takes the name for a keyword, and renames it. */
function moveNames(text: string, legacy: readonly Rule[], translated: readonly Rule[]): readonly Rule[] {
  if (text.trimStart().startsWith('{')) return translated
  const lines = text.split('\n')
  const nested = new Set(
    legacy.flatMap(({ kind, segment, line, column }) => {
      const start = lines[line - 1]?.slice(column - 1) ?? ''
      return WORDS.has(segment) && !new RegExp(`^${kind}\\b`, 'i').test(start) ? [`${kind} ${segment}`] : []
    }),
  )
  return translated.map((rule) =>
    nested.has(`${rule.kind} ${rule.segment}`) ? { ...rule, segment: `${rule.segment}_prefix` } : rule,
  )
}

function tryTo<T>(read: () => T): { readonly value: T } | { readonly error: string } {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof AclError) return { error: error.message }
    throw error
  }
}

/** The rules as versions before 1.4.0 read them; undefined if the blocks cannot be separated. */
function lastWins(text: string, merged: RuleSet): readonly Rule[] | undefined {
  const duplicates = merged.warnings.filter((warning) => warning.code === 'duplicate_merged')
  const starts = [...merged.rules, ...merged.warnings]
    .map(({ line, column }) => offsetOf(text, line, column))
    .sort((a, b) => a - b)
  const rules = new Map(merged.rules.map((rule) => [keyOf(rule), rule]))
  // Parse the first block of each segment separately, too: after merging, it may have the level of a later block.
  const places = [...merged.rules, ...duplicates]
    .map(({ line, column }) => offsetOf(text, line, column))
    .sort((a, b) => a - b)
  for (const start of places) {
    const end = starts.find((other) => other > start) ?? text.length
    const alone = readAlone(text.slice(start, end))
    if (alone === undefined || !rules.has(keyOf(alone))) return undefined
    rules.set(keyOf(alone), alone)
  }
  return [...rules.values()]
}

function readAlone(block: string): Rule | undefined {
  try {
    const { rules } = parseLegacyRules(block)
    return rules.length === 1 ? rules[0] : undefined
  } catch (error) {
    if (error instanceof AclError) return undefined
    throw error
  }
}

function keyOf({ kind, match, segment }: Rule): string {
  return `${kind} ${match} ${segment}`
}

function offsetOf(text: string, line: number, column: number): number {
  let offset = 0
  for (let i = 1; i < line; i++) offset = text.indexOf('\n', offset) + 1
  return offset + column - 1
}
