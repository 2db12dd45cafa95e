/** Checks a selector against the attributes of its method. Decisions: auth methods. */
import { AclError, shorten } from '@latchkey/contract'
import { atOnce, type Sliced } from '../../turns.ts'
import { type AttributeKind, type Attributes, namesOf } from '../attributes.ts'
import { parseSelector, selectorError } from './parse-selector.ts'
import { printPath } from './print-selector.ts'
import { compileRegularExpression, type RegularExpression } from './regular-expression.ts'
import { attributeName, type Operator, type Selector, type Term, termsOf } from './selector.ts'

/** A selector that fits its method, with its compiled regular expressions. */
export interface CheckedSelector {
  readonly selector: Selector
  readonly patterns: ReadonlyMap<Term, RegularExpression>
}

const OPERATORS: Readonly<Record<AttributeKind, readonly Operator[]>> = {
  text: ['equal', 'in', 'matches'],
  list: ['in', 'empty'],
  map: ['in', 'empty'],
}

const OPERATOR_NAMES: Readonly<Record<Operator, string>> = {
  equal: '== and !=',
  in: 'in and contains',
  matches: 'matches',
  empty: 'is empty',
}

/** Maximum length of the list of names in a message, in characters. */
const NAMES_LENGTH_MAX = 1_000

/**
 * Parses a selector and checks its terms from left to right.
 *
 * @param text the selector; an empty one matches every login.
 * @param field the body's field, which errors name.
 * @returns `undefined` for an empty text.
 * @throws AclError `selector_invalid` with line and column, `field_too_long`.
 */
export function checkSelector(
  text: string,
  attributes: Attributes,
  field = 'Selector',
): CheckedSelector | undefined {
  return atOnce(checkSelectorInSlices(text, attributes, field))
}

/** Like {@link checkSelector}, with one regular expression per slice: compiling one may take milliseconds. */
export function* checkSelectorInSlices(
  text: string,
  attributes: Attributes,
  field = 'Selector',
): Sliced<CheckedSelector | undefined> {
  if (text === '') return undefined
  const selector = parseSelector(text, field)
  const patterns = new Map<Term, RegularExpression>()
  for (const term of termsOf(selector)) {
    const pattern = checkTerm(term, attributes, field)
    if (pattern === undefined) continue
    patterns.set(term, pattern)
    yield
  }
  return { selector, patterns }
}

/** Runs a check of a selector or bind name, and prefixes its refusals with the record that is at fault. */
export function prefixed<T>(record: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof AclError) || error.code !== 'selector_invalid') throw error
    throw new AclError(error.code, `${record}: ${error.message}`, error.details)
  }
}

/** @returns the compiled regular expression of a term with `matches`; `undefined` for other terms. */
function checkTerm(term: Term, attributes: Attributes, field: string): RegularExpression | undefined {
  const { path, operator, place } = term
  const shown = shorten(printPath(path))
  // A mapped name that has dots is written as one name, in brackets.
  const kind = path.length <= 2 ? attributes.get(attributeName(path)) : undefined
  if (kind === undefined) {
    const names = shorten(namesOf(attributes, ['text', 'list']), NAMES_LENGTH_MAX)
    throw selectorError(field, place, `the method does not map ${shown}; it maps ${names}`)
  }
  if (!OPERATORS[kind].includes(operator)) {
    const allowed = OPERATORS[kind].map((each) => OPERATOR_NAMES[each]).join(', ')
    throw selectorError(field, place, `${shown} takes ${allowed}, not ${OPERATOR_NAMES[operator]}`)
  }
  if (operator !== 'matches') return undefined
  const compiled = compileRegularExpression(term.value)
  if ('regularExpression' in compiled) return compiled.regularExpression
  const expression = JSON.stringify(shorten(term.value))
  throw selectorError(
    field,
    place,
    `Failed to compile regular expression ${expression}: ${shorten(compiled.problem)}`,
  )
}
