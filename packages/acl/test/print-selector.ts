import { printTerm } from '../src/filter/print-selector.ts'
import type { Selector } from '../src/filter/selector.ts'

/** Prints a selector on one line, with values in double quotes and `contains` as `in`; the inverse of `parseSelector`. */
export function printSelector(selector: Selector): string {
  if (selector.kind === 'term') return printTerm(selector)
  if (selector.kind === 'not') return `not ${printOperand(selector.operand, 'not')}`
  return selector.operands.map((operand) => printOperand(operand, selector.kind)).join(` ${selector.kind} `)
}

/** Prints an operand, in parentheses unless it binds tighter than the expression around it. */
function printOperand(operand: Selector, outer: 'and' | 'or' | 'not'): string {
  const printed = printSelector(operand)
  const bindsTighter =
    operand.kind === 'term' || operand.kind === 'not' || (operand.kind === 'and' && outer === 'or')
  return bindsTighter ? printed : `(${printed})`
}
