/** Random questions near the boundaries of rules: their segments, with one letter removed, added or changed. */
import { accessesOf, type Question, type Rule, type SeededRandom } from '@latchkey/acl'
import { SCALAR_RESOURCES, SEGMENT_RESOURCES } from '@latchkey/contract'

const LETTERS = ['a', 'z', '0', '-', '/', '_', '*', '"', ' ', 'é', '\u{ffff}'] as const

/** @param rules the rules whose boundaries the questions probe. */
export function boundaryQuestion(
  random: SeededRandom,
  rules: readonly Pick<Rule, 'kind' | 'segment'>[],
): Question {
  const near = rules.length > 0 ? random.pick(rules) : undefined
  if (near === undefined || random.chance(0.1)) {
    return { resource: random.pick(SCALAR_RESOURCES), access: random.pick(['read', 'write']) }
  }
  // Sometimes another kind of resource: a rule must not affect other kinds.
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
