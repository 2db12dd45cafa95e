/**
 * The canonical form of legacy rules: two texts have the same form exactly if they decide every question equally, whatever
 * the default policy is.
 *
 * Legacy rules are prefixes and two scalars. Without the prefixes that give what the next shorter one gives already, each
 * rule left changes the decision on its own segment, so none can be left out and none can be added.
 */
import { encodeHclString, type GivenLevel, type Rule, type RuleLevel, type RuleSet } from '@latchkey/acl'

/** One rule in its canonical form. It prints as one block, so the text identifies it. */
export interface CanonicalRule {
  readonly kind: Rule['kind']
  readonly segment: string
  readonly level: RuleLevel
  /** Only on `service`, and only where it is not what the level implies. */
  readonly intentions?: RuleLevel
  /** As the rule of a policy. */
  readonly text: string
}

/** The rules of a legacy text that decide something, in order of kind and segment. */
export function canonicalRules({ rules }: Pick<RuleSet, 'rules'>): CanonicalRule[] {
  const kept: Effect[] = []
  for (const [, ofKind] of [...Map.groupBy(rules, ({ kind }) => kind)].sort(byName)) {
    const covers: Effect[] = []
    for (const effect of ofKind.map(effectOf).sort(bySegment)) {
      // A prefix of a segment sorts before it, so the covers of a segment are those of its predecessor that still fit.
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

/** What a rule gives: every level spelled out. */
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

/** A misspelled level denies: it grants nothing, and no other rule of the text has the same segment. */
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

/** In the layout of translated rules. */
function printRule({ kind, segment, level, intentions }: Omit<CanonicalRule, 'text'>): string {
  if (kind === 'operator' || kind === 'keyring') return `${kind} = "${level}"\n`
  const attributes =
    intentions === undefined
      ? `  policy = "${level}"\n`
      : `  policy     = "${level}"\n  intentions = "${intentions}"\n`
  return `${kind}_prefix ${encodeHclString(segment)} {\n${attributes}}\n`
}

/** The rules of a policy as its text; empty without rules. */
export function printPolicy(rules: readonly CanonicalRule[]): string {
  return rules.map(({ text }) => text).join('\n')
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function bySegment(a: { readonly segment: string }, b: { readonly segment: string }): number {
  return a.segment < b.segment ? -1 : a.segment > b.segment ? 1 : 0
}
