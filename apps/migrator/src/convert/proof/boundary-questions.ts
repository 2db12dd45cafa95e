/** Random questions where decisions change: at segments of rules, one letter less, one more, one other. */
import {
  accessesOf,
  type Question,
  type Rule,
  SCALAR_RESOURCES,
  SEGMENT_RESOURCES,
  type SeededRandom,
} from '@latchkey/acl'

const LETTERS = ['a', 'z', '0', '-', '/', '_', '*', '"', ' ', 'é', '\u{ffff}'] as const

/** @param rules the rules that the questions are near to. */
export function boundaryQuestion(
  random: SeededRandom,
  rules: readonly Pick<Rule, 'kind' | 'segment'>[],
): Question {
  const near = rules.length > 0 ? random.pick(rules) : undefined
  if (near === undefined || random.chance(0.1)) {
    return { resource: random.pick(SCALAR_RESOURCES), access: random.pick(['read', 'write']) }
  }
  // Sometimes another kind: a rule must not act on what it does not name.
  const resource = random.chance(0.15)
    ? random.pick(SEGMENT_RESOURCES)
    : near.kind === 'service' && random.chance(0.4)
      ? 'intention'
      : (SEGMENT_RESOURCES.find((each) => each === near.kind) ?? random.pick(SCALAR_RESOURCES))
  if (SCALAR_RESOURCES.some((each) => each === resource)) {
    return { resource, access: random.pick(['read', 'write']) }
  }
  const segment = random.chance(0.05) ? '*' : beside(random, near.segment)
  return { resource, access: random.pick(accessesOf(resource)), ...(segment === '' ? {} : { segment }) }
}

function beside(random: SeededRandom, segment: string): string {
  switch (random.below(5)) {
    case 0:
      return segment
    case 1:
      return segment + random.pick(LETTERS)
    case 2:
      return segment.slice(0, -1)
    case 3:
      return segment.slice(0, -1) + random.pick(LETTERS)
    default:
      return segment.slice(0, random.below(segment.length + 1))
  }
}
