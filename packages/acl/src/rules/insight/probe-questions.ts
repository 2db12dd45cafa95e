/** Questions that distinguish two rule sets. */
import { RESOURCE_KINDS } from '@latchkey/contract'
import { type PrefixIndex, prefixIndexOf } from '../decide/prefix-index.ts'
import { type Access, accessesOf, type Question, type Resource } from '../decide/question.ts'
import { type Rule, type RuleSet, ruleKeyword } from '../language/rule.ts'

/** Suffixes for a name below a prefix. The first one that no rule uses is chosen. */
const PROBES = ['other', ...'abcdefghijklmnpqrstuvwxyz0123456789']
/** First character to try if all probes are in use. */
const FIRST_SPARE_LETTER = 0x100

/**
 * Builds questions about every rule that only one of the sets has: about its segment and, for a prefix, about a longer
 * name that neither set contains. For a key rule, also whether everything below each named prefix of its segment may be
 * written. Each question occurs once, in the order of the rules.
 */
export function probeQuestions(before: Pick<RuleSet, 'rules'>, after: Pick<RuleSet, 'rules'>): Question[] {
  const segmentRules = [...before.rules, ...after.rules].filter((rule) => rule.match !== 'scalar')
  const segments = new Set(segmentRules.map((rule) => rule.segment))
  const named: NamedSegments = prefixIndexOf([...segments].map((segment) => ({ segment })))
  const changed = [...withoutThoseOf(before, after), ...withoutThoseOf(after, before)]
  const questions = new Map<string, Question>()
  const ask = (resource: Resource, segment: string, access: Access) => {
    questions.set(JSON.stringify([resource, segment, access]), aQuestion(resource, segment, access))
  }
  const around = new Set<string>()
  for (const rule of changed) {
    for (const resource of resourcesOf(rule)) {
      for (const segment of probesOf(rule, resource, named)) {
        for (const access of accessesOf(resource)) ask(resource, segment, access)
      }
    }
    if (rule.kind !== 'key') continue
    for (const segment of prefixesAround(rule.segment, named)) {
      // The prefixes of this segment were already covered with it.
      if (around.has(segment)) break
      around.add(segment)
      ask('key', segment, 'write-prefix')
    }
  }
  return [...questions.values()]
}

/** The rules of one set that the other lacks, or has with other levels. */
function withoutThoseOf(rules: Pick<RuleSet, 'rules'>, others: Pick<RuleSet, 'rules'>): Rule[] {
  const known = new Set<string>()
  for (const rule of others.rules) {
    known.add(meaningOf(rule))
  }
  const without: Rule[] = []
  for (const rule of rules.rules) {
    if (!known.has(meaningOf(rule))) without.push(rule)
  }
  return without
}

function meaningOf(rule: Rule): string {
  return JSON.stringify([ruleKeyword(rule), rule.segment, rule.level, rule.intentions])
}

/**
 * The resources that a rule affects: service rules also affect intentions, operator rules the kinds that follow
 * operator.
 */
function resourcesOf({ kind }: Rule): readonly Resource[] {
  const others = Object.entries(RESOURCE_KINDS).filter(
    ([, row]) => ('rule' in row && row.rule === kind) || ('follows' in row && row.follows === kind),
  )
  return [kind, ...others.map(([other]) => other as Resource)]
}

function probesOf(rule: Rule, resource: Resource, named: NamedSegments): readonly string[] {
  if (rule.match === 'scalar') return ['']
  const names = rule.match === 'exact' ? [rule.segment] : [rule.segment, unnamedBelow(rule.segment, named)]
  return resource === 'intention' ? [...names, '*'] : names
}

type NamedSegments = PrefixIndex<{ readonly segment: string }>

/** A name that extends a prefix by a character that no named segment has at this position. */
function unnamedBelow(prefix: string, named: NamedSegments): string {
  const isFree = (probe: string) => named.firstStartingWith(prefix + probe.charAt(0)) === undefined
  const probe = PROBES.find(isFree)
  if (probe !== undefined) return prefix + probe
  let letter = FIRST_SPARE_LETTER
  while (!isFree(String.fromCharCode(letter))) letter++
  return prefix + String.fromCharCode(letter)
}

/** The named segments that are prefixes of a segment, longest first. */
function* prefixesAround(segment: string, named: NamedSegments): Generator<string> {
  let rest = segment
  while (rest !== '') {
    const around = named.longestPrefixOf(rest.slice(0, -1))?.segment
    if (around === undefined) return
    yield around
    rest = around
  }
}

function aQuestion(resource: Resource, segment: string, access: Access): Question {
  return segment === '' ? { resource, access } : { resource, segment, access }
}
