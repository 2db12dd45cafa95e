/** Whether a selector matches the claims of a login. Decisions: auth methods. */
import type { MappedClaims } from '../attributes.ts'
import type { CheckedSelector } from './check-selector.ts'
import { attributeName, type Selector, type Term } from './selector.ts'

/** An empty selector, given as `undefined`, matches every login. */
export function matchesClaims(checked: CheckedSelector | undefined, claims: MappedClaims): boolean {
  return checked === undefined || evaluate(checked, checked.selector, claims)
}

function evaluate(checked: CheckedSelector, selector: Selector, claims: MappedClaims): boolean {
  switch (selector.kind) {
    case 'term':
      return termHolds(checked, selector, claims)
    case 'not':
      return !evaluate(checked, selector.operand, claims)
    case 'and':
      return selector.operands.every((operand) => evaluate(checked, operand, claims))
    case 'or':
      return selector.operands.some((operand) => evaluate(checked, operand, claims))
  }
}

/** Whether one term is true. A comparison with a missing claim is false, so a negated one is true. */
export function termHolds(checked: CheckedSelector, term: Term, claims: MappedClaims): boolean {
  return holdsUnnegated(checked, term, claims) !== term.isNegated
}

function holdsUnnegated({ patterns }: CheckedSelector, term: Term, claims: MappedClaims): boolean {
  const { path, operator, value } = term
  const name = attributeName(path)
  if (path.length === 1) {
    const map = name === 'list' ? claims.lists : claims.texts
    return operator === 'empty' ? map.size === 0 : map.has(attributeName([name, value]))
  }
  if (path[0] === 'list') {
    const list = claims.lists.get(name) ?? []
    return operator === 'empty' ? list.length === 0 : list.includes(value)
  }
  const text = claims.texts.get(name)
  if (text === undefined) return false
  switch (operator) {
    case 'equal':
      return text === value
    case 'in':
      return text.includes(value)
    case 'matches':
      return patterns.get(term)?.test(text) ?? false
    case 'empty':
      return false
  }
}
