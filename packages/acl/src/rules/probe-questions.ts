/** Questions that tell two rule sets apart. */
import { PrefixIndex } from './prefix-index.ts'
import { type Access, accessesOf, type Question, type Resource } from './question.ts'
import type { Rule, RuleSet } from './rule.ts'

/** What is put behind a prefix to ask for a name below it: the first that no rule names. */
const PROBES = ['other', ...'abcdefghijklmnpqrstuvwxyz0123456789']
/** Where those are all taken: letters from here on. */
const FIRST_SPARE_LETTER = 0x100

/**
 * Asks about everything that the rules of either set name: each segment itself, and below each prefix a longer name
 * that no rule of the two sets names. Every question once, in the order of the rules.
 */
export function probeQuestions(before: Pick<RuleSet, 'rules'>, after: Pick<RuleSet, 'rules'>): Question[] {
  const rules = [...before.rules, ...after.rules]
  const named = new PrefixIndex(
    [...new Set(rules.map((rule) => rule.segment))].map((segment) => ({ segment })),
  )
  const questions = new Map<string, Question>()
  for (const rule of rules) {
    for (const resource of resourcesOf(rule)) {
      for (const segment of probesOf(rule, resource, named)) {
        for (const access of accessesOf(resource)) {
          questions.set(JSON.stringify([resource, segment, access]), aQuestion(resource, segment, access))
        }
      }
    }
  }
  return [...questions.values()]
}

/** What a rule bears on: service rules on intentions too, operator on the kinds that follow it. */
function resourcesOf({ kind }: Rule): readonly Resource[] {
  if (kind === 'service') return ['service', 'intention']
  return kind === 'operator' ? ['operator', 'mesh', 'peering'] : [kind]
}

function probesOf(rule: Rule, resource: Resource, named: NamedSegments): readonly string[] {
  if (rule.match === 'scalar') return ['']
  const names = rule.match === 'exact' ? [rule.segment] : [rule.segment, unnamedBelow(rule.segment, named)]
  return resource === 'intention' ? [...names, '*'] : names
}

type NamedSegments = PrefixIndex<{ readonly segment: string }>

/** A name that begins with a prefix, and whose next letter no named segment has there. */
function unnamedBelow(prefix: string, named: NamedSegments): string {
  const isFree = (probe: string) => named.firstStartingWith(prefix + probe.charAt(0)) === undefined
  const probe = PROBES.find(isFree)
  if (probe !== undefined) return prefix + probe
  let letter = FIRST_SPARE_LETTER
  while (!isFree(String.fromCharCode(letter))) letter++
  return prefix + String.fromCharCode(letter)
}

function aQuestion(resource: Resource, segment: string, access: Access): Question {
  return segment === '' ? { resource, access } : { resource, segment, access }
}
