import type { Selector, Term } from './selector.ts'

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
