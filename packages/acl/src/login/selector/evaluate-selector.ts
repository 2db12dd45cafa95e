/** Whether a selector matches the claims of a login. Decisions: auth methods. */
import { evaluate } from '../../filter/evaluate.ts'
import { attributeName, type Term } from '../../filter/selector.ts'
import type { MappedClaims } from '../attributes.ts'
import type { CheckedSelector } from './check-selector.ts'

/** `undefined` stands for an empty selector, which matches every login. */
export function matchesClaims(checked: CheckedSelector | undefined, claims: MappedClaims): boolean {
  return checked === undefined || evaluate(checked.selector, (term) => termHolds(checked, term, claims))
}

/** Whether one term is true. A comparison with a missing claim is false, so its negation is true. */
export function termHolds({ tests }: CheckedSelector, term: Term, claims: MappedClaims): boolean {
  const value = valueAt(term.path, claims)
  const holds = value !== undefined && tests.get(term)?.(value) === true
  return holds !== term.isNegated
}

/** @returns the names in a map, a list, or a text; a missing list is empty. */
function valueAt(
  path: readonly string[],
  { texts, lists }: MappedClaims,
): string | readonly string[] | undefined {
  const name = attributeName(path)
  if (path.length > 1) return path[0] === 'list' ? (lists.get(name) ?? []) : texts.get(name)
  const claims = name === 'list' ? lists : texts
  return [...claims.keys()].map((each) => each.slice(name.length + 1))
}
