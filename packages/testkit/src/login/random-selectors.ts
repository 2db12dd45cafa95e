// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${` is part of the language under test.
/** Generates selectors with their meaning, their text in all spellings, corrupted texts, and claims. */
import type { SeededRandom } from '../random.ts'

/** What a selector means, generated before its spelling. */
export type Meaning =
  | { readonly all: readonly Meaning[] }
  | { readonly any: readonly Meaning[] }
  | { readonly not: Meaning }
  | Comparison

export interface Comparison {
  readonly root: 'value' | 'list'
  /** Absent to compare with `value` or `list` as a whole. */
  readonly name?: string
  readonly test: 'equals' | 'holds' | 'matches' | 'is empty'
  readonly operand: string
  readonly isNegated: boolean
}

/** Mapped claims: single values to `value.<name>`, lists to `list.<name>`, and one by a pointer. */
export const CLAIM_MAPPINGS = {
  team: 'team',
  'a.b': 'dotted',
  '/deep/0/x~1y': 'deep',
  odd: 'odd-name',
} as const
export const LIST_CLAIM_MAPPINGS = { groups: 'groups', team: 'teams' } as const

const NAMES = { value: Object.values(CLAIM_MAPPINGS), list: Object.values(LIST_CLAIM_MAPPINGS) }
const TEXTS = ['', 'a', 'b', 'ab', 'ops', 'Ops', '5', 'é', 'a b', 'true', 'value.team', 'o"p\\s`'] as const
/** Patterns with the same meaning in RE2 and JavaScript. */
const PATTERNS = ['', '^a', 'b$', '^ops$', '[a-c]+', '^$', 'o|5', '.', '^(a+)+$', '\\d', 'p{1,2}s'] as const
const BLANKS = [' ', ' ', ' ', '\t', '\n', '\r\n', '  '] as const

export function randomMeaning(random: SeededRandom, depth = 3): Meaning {
  if (depth === 0 || random.chance(0.45)) return randomComparison(random)
  const operand = () => randomMeaning(random, depth - 1)
  if (random.chance(0.25)) return { not: operand() }
  const operands = Array.from({ length: 2 + random.below(2) }, operand)
  return random.chance(0.5) ? { all: operands } : { any: operands }
}

function randomComparison(random: SeededRandom): Comparison {
  const root = random.pick(['value', 'value', 'list'] as const)
  const isNegated = random.chance(0.4)
  if (random.chance(0.15)) {
    const test = random.pick(['holds', 'is empty'] as const)
    const operand = test === 'holds' ? random.pick([...NAMES[root], 'unmapped']) : ''
    return { root, test, operand, isNegated }
  }
  const name = random.pick<string>(NAMES[root])
  const test =
    root === 'list'
      ? random.pick(['holds', 'holds', 'is empty'] as const)
      : random.pick(['equals', 'holds', 'matches'] as const)
  const operand = test === 'is empty' ? '' : random.pick<string>(test === 'matches' ? PATTERNS : TEXTS)
  return { root, name, test, operand, isNegated }
}

/** Writes a meaning as text, in one of its spellings. */
export function spell(random: SeededRandom, meaning: Meaning): string {
  const blank = () => random.pick(BLANKS)
  const maybe = () => (random.chance(0.3) ? random.pick(BLANKS) : '')
  const grouped = (inner: Meaning, mustGroup: boolean): string => {
    const text = spelled(inner)
    return mustGroup || random.chance(0.1) ? `(${maybe()}${text}${maybe()})` : text
  }
  const spelled = (part: Meaning): string => {
    if ('any' in part) {
      return part.any.map((each) => grouped(each, 'any' in each)).join(`${blank()}or${blank()}`)
    }
    if ('all' in part) {
      const operands = part.all.map((each) => grouped(each, 'any' in each || 'all' in each))
      return operands.join(`${blank()}and${blank()}`)
    }
    if ('not' in part) return `not${blank()}${grouped(part.not, 'any' in part.not || 'all' in part.not)}`
    return comparison(part)
  }
  const comparison = ({ root, name, test, operand, isNegated }: Comparison): string => {
    const attribute = name === undefined ? root : `${root}${member(random, name)}`
    const not = isNegated ? `not${blank()}` : ''
    switch (test) {
      case 'equals':
        return `${attribute}${maybe()}${isNegated ? '!=' : '=='}${maybe()}${quote(random, operand)}`
      case 'matches':
        return `${attribute}${blank()}${not}matches${blank()}${quote(random, operand)}`
      case 'is empty':
        return `${attribute}${blank()}is${blank()}${not}empty`
      case 'holds':
        return random.chance(0.5)
          ? `${quote(random, operand)}${blank()}${not}in${blank()}${attribute}`
          : `${attribute}${blank()}${not}contains${blank()}${quote(random, operand)}`
    }
  }
  return `${maybe()}${spelled(meaning)}${maybe()}`
}

function member(random: SeededRandom, name: string): string {
  const isWord = /^[a-z]+$/.test(name)
  return isWord && random.chance(0.8) ? `.${name}` : `[${random.chance(0.5) ? `"${name}"` : `\`${name}\``}]`
}

function quote(random: SeededRandom, text: string): string {
  if (/^(?:[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*|\d)$/.test(text) && random.chance(0.4))
    return text
  if (!text.includes('`') && random.chance(0.3)) return `\`${text}\``
  const escaped = [...text].map((character) => {
    if (character === '\\') return '\\\\'
    if (character === '"') return random.pick(['\\x22', '\\042', '\\u0022', '\\U00000022'])
    return random.chance(0.1)
      ? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
      : character
  })
  return `"${escaped.join('')}"`
}

const PIECES = [
  ...['value', 'list', '.', '.team', '["', '"]', '(', ')', 'not ', ' not', ' and ', ' or ', '==', '!='],
  ...[' in ', ' is ', ' empty', ' contains ', ' matches ', '"', '`', '\\', ' ', '\n', '5', '-', '05'],
  ...['\\x4', 'é', '𝒳', "'", '&&', '(?=', '{'],
] as const

/** Generates a text that is a valid selector about half of the time. */
export function randomSelectorText(random: SeededRandom): string {
  let text = random.chance(0.1) ? '' : spell(random, randomMeaning(random))
  for (let left = random.chance(0.5) ? 0 : 1 + random.below(3); left > 0; left--) {
    const at = random.below(text.length + 1)
    const piece = random.chance(0.3) ? '' : random.pick(PIECES)
    text = text.slice(0, at) + piece + text.slice(at + random.below(3))
  }
  return text
}

/** Generates claims as a provider would sign them. Most are usable, and any may be missing. */
export function randomClaims(random: SeededRandom): Record<string, unknown> {
  const claims: Record<string, unknown> = { iss: 'https://issuer.example', unmapped: 'x' }
  for (const claim of ['team', 'a.b', 'odd']) if (random.chance(0.75)) claims[claim] = randomValue(random)
  if (random.chance(0.75)) claims.groups = random.chance(0.2) ? randomValue(random) : randomList(random)
  if (random.chance(0.6))
    claims.deep = random.chance(0.2) ? randomValue(random) : [{ 'x/y': randomValue(random) }]
  return claims
}

function randomValue(random: SeededRandom): unknown {
  return random.weighted<unknown>([
    [14, random.pick(TEXTS)],
    [4, 'Ops'],
    [2, 5],
    [1, true],
    [2, null],
    [0.1, 1.5],
    [0.1, 2 ** 53],
    [0.1, ['a']],
    [0.1, { length: 1, 0: 'a' }],
  ])
}

function randomList(random: SeededRandom): unknown[] {
  return Array.from({ length: random.below(4) }, () =>
    random.chance(0.01) ? random.pick([null, [], {}]) : random.pick([...TEXTS, 5, false]),
  )
}

const BIND_NAMES = [
  ...['web', 'web-${value.team}', '${value.team}', 'x${value.dotted}y'],
  ...['${ value.odd-name }-${value.team}', 'n_${value.deep}'],
] as const

export interface RandomRule {
  readonly meaning: Meaning | undefined
  readonly selector: string
  readonly type: 'service' | 'node' | 'role'
  readonly name: string
}

export function randomBindingRule(random: SeededRandom): RandomRule {
  const meaning = random.chance(0.05) ? undefined : randomMeaning(random)
  return {
    meaning,
    selector: meaning === undefined ? '' : spell(random, meaning),
    type: random.pick(['service', 'node', 'role'] as const),
    name: random.pick(BIND_NAMES),
  }
}
