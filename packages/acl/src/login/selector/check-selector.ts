/** Checks a selector against the attributes of its method, and evaluates it. Decisions: auth methods. */
import { AclError, shorten } from '@latchkey/contract'
import { comparisonOf, OPERATORS, type Test } from '../../filter/compare.ts'
import { parseSelector, type SelectorSource } from '../../filter/parse-selector.ts'
import { printPath } from '../../filter/print-selector.ts'
import {
  attributeName,
  evaluate,
  type Operator,
  type Selector,
  type Term,
  termsOf,
} from '../../filter/selector.ts'
import { type Attributes, type MappedClaims, namesOf } from '../attributes.ts'

/** A selector that is valid for its method, and the comparison of each term, ignoring negation. */
export interface CheckedSelector {
  readonly selector: Selector
  readonly tests: ReadonlyMap<Term, Test>
  readonly patternCount: number
}

const OPERATOR_NAMES: Readonly<Record<Operator, string>> = {
  equal: '== and !=',
  in: 'in and contains',
  matches: 'matches',
  empty: 'is empty',
}

const NAMES_LENGTH_MAX = 1_000

/** A selector in a field of a body. Refusals are AclErrors `selector_invalid` with line and column. */
export function selectorIn(field: string): SelectorSource {
  return {
    field,
    refuse: ({ line, column }, problem) =>
      new AclError('selector_invalid', `${field} is invalid: line ${line}, column ${column}: ${problem}`, {
        field,
        line,
        column,
      }),
  }
}

/**
 * Parses a selector and checks its terms, from left to right.
 * @param text the selector; an empty one matches every login.
 * @param field the field of the body, for errors.
 * @returns `undefined` for an empty text.
 */
export function checkSelector(
  text: string,
  attributes: Attributes,
  field = 'Selector',
): CheckedSelector | undefined {
  if (text === '') return undefined
  const source = selectorIn(field)
  const selector = parseSelector(text, source)
  const tests = new Map<Term, Test>()
  let patternCount = 0
  for (const term of termsOf(selector)) {
    tests.set(term, testOf(term, attributes, source))
    if (term.operator === 'matches') patternCount += 1
  }
  return { selector, tests, patternCount }
}

/** Runs a check of a selector or bind name, and prefixes its refusals with the invalid record. */
export function prefixed<T>(record: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof AclError) || error.code !== 'selector_invalid') throw error
    throw new AclError(error.code, `${record}: ${error.message}`, error.details)
  }
}

function testOf(term: Term, attributes: Attributes, { refuse }: SelectorSource): Test {
  const { path, operator, place } = term
  const shown = shorten(printPath(path))
  // A mapped name that contains dots is written as one name, in brackets.
  const kind = path.length <= 2 ? attributes.get(attributeName(path)) : undefined
  if (kind === undefined) {
    const names = shorten(namesOf(attributes, ['text', 'list'], printAttribute), NAMES_LENGTH_MAX)
    throw refuse(place, `the method does not map ${shown}; it maps ${names}`)
  }
  const comparison = comparisonOf(term, kind)
  if ('test' in comparison) return comparison.test
  if (comparison.fault === 'operator') {
    const allowed = OPERATORS[kind].map((each) => OPERATOR_NAMES[each]).join(', ')
    throw refuse(place, `${shown} takes ${allowed}, not ${OPERATOR_NAMES[operator]}`)
  }
  throw refuse(place, comparison.problem)
}

function printAttribute(name: string): string {
  const dot = name.indexOf('.')
  return printPath([name.slice(0, dot), name.slice(dot + 1)])
}

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
