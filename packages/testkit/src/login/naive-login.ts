/**
 * Computes what a login gives, directly from the tables that define selectors, claims and bind names, without regard to
 * speed. A missing claim is a value of its own. Shares no code with the rules that tests compare with it.
 */
import type { Comparison, Meaning, RandomRule } from './random-selectors.ts'
import { CLAIM_MAPPINGS, LIST_CLAIM_MAPPINGS } from './random-selectors.ts'

const MISSING = Symbol('missing')
const REFUSED = Symbol('refused')
type Missing = typeof MISSING

interface NaiveClaims {
  readonly value: Readonly<Record<string, string | Missing>>
  readonly list: Readonly<Record<string, readonly string[] | Missing>>
}

/** Links as sorted texts, such as `service web`. */
type NaiveLogin = 'refused' | readonly string[]

export function naiveLogin(
  claims: Readonly<Record<string, unknown>>,
  rules: readonly RandomRule[],
  roles: readonly string[],
): NaiveLogin {
  const mapped = naiveClaims(claims)
  if (mapped === REFUSED) return 'refused'
  const links = new Set<string>()
  for (const { meaning, type, name } of rules) {
    if (meaning !== undefined && !naiveMatches(meaning, mapped)) continue
    const computed = naiveName(name, mapped)
    if (computed === MISSING) continue
    if (computed === REFUSED || !fits(computed, type)) return 'refused'
    if (type !== 'role') links.add(`${type} ${computed}`)
    const role = roles.find((each) => each.toLowerCase() === computed.toLowerCase())
    if (type === 'role' && role !== undefined) links.add(`role ${role}`)
  }
  return [...links].sort()
}

export function naiveClaims(claims: Readonly<Record<string, unknown>>): NaiveClaims | typeof REFUSED {
  const find = (claim: string): unknown => {
    if (claim === '/deep/0/x~1y') {
      const { deep } = claims
      const first = Array.isArray(deep) ? deep[0] : (deep as { 0?: unknown } | null | undefined)?.[0]
      return typeof first === 'object' && typeof deep === 'object' ? first?.['x/y'] : undefined
    }
    return claims[claim]
  }
  const value: Record<string, string | Missing> = {}
  for (const [claim, name] of Object.entries(CLAIM_MAPPINGS)) {
    const text = naiveText(find(claim))
    if (text === REFUSED) return REFUSED
    value[name] = text
  }
  const list: Record<string, readonly string[] | Missing> = {}
  for (const [claim, name] of Object.entries(LIST_CLAIM_MAPPINGS)) {
    const found = find(claim)
    if (found === null || found === undefined) {
      list[name] = MISSING
      continue
    }
    const texts = (Array.isArray(found) ? found : [found]).map(naiveText)
    // Within a list, null is not "missing".
    if (texts.some((text) => text === REFUSED || text === MISSING)) return REFUSED
    list[name] = texts.flatMap((text) => (typeof text === 'string' && text !== '' ? [text] : []))
  }
  return { value, list }
}

function naiveText(found: unknown): string | Missing | typeof REFUSED {
  if (found === null || found === undefined) return MISSING
  if (typeof found === 'string') return found
  if (found === true) return 'true'
  if (found === false) return 'false'
  if (typeof found !== 'number') return REFUSED
  return Math.floor(found) === found && Math.abs(found) < 2 ** 53 ? `${found}` : REFUSED
}

export function naiveMatches(meaning: Meaning, claims: NaiveClaims): boolean {
  if ('all' in meaning) return !meaning.all.some((each) => !naiveMatches(each, claims))
  if ('any' in meaning) return meaning.any.some((each) => naiveMatches(each, claims))
  if ('not' in meaning) return !naiveMatches(meaning.not, claims)
  return meaning.isNegated ? !naiveTest(meaning, claims) : naiveTest(meaning, claims)
}

function naiveTest({ root, name, test, operand }: Comparison, claims: NaiveClaims): boolean {
  if (name === undefined) {
    const present = Object.entries(claims[root]).flatMap(([key, each]) => (each === MISSING ? [] : [key]))
    return test === 'is empty' ? present.length === 0 : present.includes(operand)
  }
  const found = claims[root][name]
  // Comparisons with a missing claim are false, and a missing list is empty.
  if (found === MISSING || found === undefined) return test === 'is empty'
  switch (test) {
    case 'is empty':
      return found.length === 0
    case 'holds':
      return found.includes(operand)
    case 'equals':
      return found === operand
    case 'matches':
      return typeof found === 'string' && new RegExp(operand, 'u').test(found)
  }
}

function naiveName(template: string, { value }: NaiveClaims): string | Missing | typeof REFUSED {
  let computed = ''
  let isMissing = false
  let isForeign = false
  for (const [index, piece] of template.split(/\$\{\s*value\.([a-z-]+)\s*\}/).entries()) {
    if (index % 2 === 0) {
      computed += piece
      continue
    }
    const found = value[piece]
    if (found === MISSING || found === undefined || found === '') {
      isMissing = true
      continue
    }
    for (const character of found) {
      const code = character.codePointAt(0) ?? 0
      if (code > 127) isForeign = true
      computed += code >= 65 && code <= 90 ? String.fromCharCode(code + 32) : character
    }
  }
  if (isMissing) return MISSING
  return isForeign ? REFUSED : computed
}

function fits(name: string, type: string): boolean {
  const inner = type === 'role' ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' : ''
  const letters = `abcdefghijklmnopqrstuvwxyz0123456789${inner}`
  if (name.length === 0 || name.length > 256) return false
  if ([...name].some((character) => !`${letters}-_`.includes(character))) return false
  return (
    type === 'role' || (letters.includes(name.charAt(0)) && letters.includes(name.charAt(name.length - 1)))
  )
}
