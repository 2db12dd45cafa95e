import type { Selector, Term } from './selector.ts'

/** The value of a selector whose terms have the values that `holds` gives. Evaluates no more terms than it needs. */
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
