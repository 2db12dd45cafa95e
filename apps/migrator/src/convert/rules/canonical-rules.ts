/**
 * The canonical form of legacy rules: two texts have the same form if and only if they make the same
 * decisions under either default policy. Legacy rules are prefixes and two scalars. After removing every
 * prefix that grants the same as the next shorter one, each remaining rule changes the decision on its own
 * segment. The form is therefore minimal and unique.
 */
import { encodeHclString, type GivenLevel, type Rule, type RuleLevel, type RuleSet } from '@latchkey/acl'

/** One rule in canonical form. It prints as one block, and its text identifies it. */
export interface CanonicalRule {
  readonly kind: Rule['kind']
  readonly segment: string
  readonly level: RuleLevel
  readonly intentions?: RuleLevel
  readonly text: string
}

export function canonicalRules({ rules }: Pick<RuleSet, 'rules'>): CanonicalRule[] {
  const kept: Effect[] = []
  for (const [, ofKind] of [...Map.groupBy(rules, ({ kind }) => kind)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const covers: Effect[] = []
    for (const effect of ofKind.map(effectOf).sort((a, b) => (a.segment < b.segment ? -1 : 1))) {
      // A prefix sorts before its segments, so the covers of a segment are the covers of its predecessor that still match.
      while (!effect.segment.startsWith(covers.at(-1)?.segment ?? '')) covers.pop()
      const cover = covers.at(-1)
      if (cover !== undefined && cover.level === effect.level && cover.intentions === effect.intentions)
        continue
      covers.push(effect)
      kept.push(effect)
    }
  }
  return kept.map(canonicalRule)
}

interface Effect {
  readonly kind: Rule['kind']
  readonly segment: string
  readonly level: RuleLevel
  readonly intentions: RuleLevel | undefined
}

function effectOf({ kind, segment, level: given, intentions }: Rule): Effect {
  const level = levelOf(given)
  if (kind !== 'service') return { kind, segment, level, intentions: undefined }
  return {
    kind,
    segment,
    level,
    intentions: intentions === undefined ? impliedIntentions(level) : levelOf(intentions),
  }
}

/** A misspelled level denies: it grants nothing, and no other rule of the text names the segment. */
function levelOf(given: GivenLevel): RuleLevel {
  return given === 'none' ? 'deny' : given
}

function impliedIntentions(level: RuleLevel): RuleLevel {
  return level === 'deny' ? 'deny' : 'read'
}

function canonicalRule({ kind, segment, level, intentions }: Effect): CanonicalRule {
  const isImplied = intentions === undefined || intentions === impliedIntentions(level)
  const rule = { kind, segment, level, ...(isImplied ? {} : { intentions }) }
  return { ...rule, text: printRule(rule) }
}

function printRule({ kind, segment, level, intentions }: Omit<CanonicalRule, 'text'>): string {
  if (kind === 'operator' || kind === 'keyring') return `${kind} = "${level}"\n`
  const attributes =
    intentions === undefined
      ? `  policy = "${level}"\n`
      : `  policy     = "${level}"\n  intentions = "${intentions}"\n`
  return `${kind}_prefix ${encodeHclString(segment)} {\n${attributes}}\n`
}

export function printPolicy(rules: readonly CanonicalRule[]): string {
  return rules.map(({ text }) => text).join('\n')
}
