/** Random rules and questions that often match: few names, many of them prefixes of others. */
import { accessesOf, type Question, RULE_LEVELS, SCALAR_KINDS, SEGMENT_KINDS } from '@latchkey/acl'
import { SCALAR_RESOURCES, SEGMENT_RESOURCES } from '@latchkey/contract'
import type { SeededRandom } from '../random.ts'
import type { NaiveRule } from './naive-interpreter.ts'

const SEGMENT_PARTS = [
  'a',
  'b',
  'A',
  '/',
  '-',
  '*',
  'é',
  '中',
  '\u{1f600}',
  '"',
  '\\',
  '${',
  '\n',
  '\u{ffff}',
] as const
const LEVELS = ['deny', 'read', 'write', 'none'] as const
const SEGMENT_PARTS_MAX = 5

export function randomSegment(random: SeededRandom): string {
  if (random.chance(0.1)) return '*'
  let segment = ''
  // Mostly from the first parts: names must collide.
  for (let left = random.below(SEGMENT_PARTS_MAX); left > 0; left--) {
    segment += random.chance(0.8) ? random.pick(SEGMENT_PARTS.slice(0, 4)) : random.pick(SEGMENT_PARTS)
  }
  return segment
}

function randomRule(random: SeededRandom): NaiveRule {
  if (random.chance(0.1)) {
    return { kind: random.pick(SCALAR_KINDS), match: 'scalar', segment: '', level: random.pick(LEVELS) }
  }
  const kind = random.chance(0.6) ? random.pick(['key', 'service'] as const) : random.pick(SEGMENT_KINDS)
  const rule: NaiveRule = {
    kind,
    match: random.pick(['exact', 'prefix']),
    segment: randomSegment(random),
    level: kind === 'key' ? random.pick([...RULE_LEVELS, 'none'] as const) : random.pick(LEVELS),
  }
  return kind === 'service' && random.chance(0.5) ? { ...rule, intentions: random.pick(LEVELS) } : rule
}

/** The rules of one policy: at most `max`, and no two with the same kind, match and segment. */
export function randomPolicy(random: SeededRandom, max: number): NaiveRule[] {
  const rules = new Map<string, NaiveRule>()
  for (let left = random.below(max + 1); left > 0; left--) {
    const rule = randomRule(random)
    rules.set(`${rule.kind} ${rule.match} ${rule.segment}`, rule)
  }
  return [...rules.values()]
}

/** A question; half of them ask about a named segment, or one letter more. */
export function randomQuestion(random: SeededRandom, rules: readonly NaiveRule[]): Question {
  if (random.chance(0.1)) {
    return { resource: random.pick(SCALAR_RESOURCES), access: random.pick(['read', 'write']) }
  }
  const named = rules.length > 0 && random.chance(0.5) ? random.pick(rules) : undefined
  const kind = named === undefined || named.match === 'scalar' ? random.pick(SEGMENT_RESOURCES) : named.kind
  const resource = SEGMENT_RESOURCES.find((candidate) => candidate === kind) ?? 'key'
  const asked = resource === 'service' && random.chance(0.5) ? 'intention' : resource
  const segment =
    named === undefined ? randomSegment(random) : named.segment + (random.chance(0.5) ? 'a' : '')
  return { resource: asked, segment, access: random.pick(accessesOf(asked)) }
}
