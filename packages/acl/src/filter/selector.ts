/** The syntax tree of a selector, which selects the logins of a binding rule or the records of a list. */
import type { Place } from '../rules/language/syntax-error.ts'

export type Selector =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Selector[] }
  | { readonly kind: 'not'; readonly operand: Selector }
  | Term

/** The operator `equal` is written `==`, `in` may be written `contains`, and `empty` has no value. */
export type Operator = 'equal' | 'in' | 'matches' | 'empty'

export interface Term {
  readonly kind: 'term'
  /** The path of the attribute or field; `value.team` has two names. */
  readonly path: readonly string[]
  readonly operator: Operator
  /** True for `!=`, `not in`, `not contains`, `not matches` and `is not empty`. */
  readonly isNegated: boolean
  readonly value: string
  readonly place: Place
}

export function termsOf(selector: Selector): readonly Term[] {
  switch (selector.kind) {
    case 'term':
      return [selector]
    case 'not':
      return termsOf(selector.operand)
    default:
      return selector.operands.flatMap(termsOf)
  }
}

/** The name of an attribute in claims and messages. Roots have no dots, so no two attributes share one. */
export function attributeName(path: readonly string[]): string {
  return path.join('.')
}

/** Evaluates a selector, with the value of each term from `holds`. Stops as soon as the result is certain. */
export function evaluate(selector: Selector, holds: (term: Term) => boolean): boolean {
  switch (selector.kind) {
    case 'term':
      return holds(selector)
    case 'not':
      return !evaluate(selector.operand, holds)
    case 'and':
      return selector.operands.every((operand) => evaluate(operand, holds))
    case 'or':
      return selector.operands.some((operand) => evaluate(operand, holds))
  }
}
