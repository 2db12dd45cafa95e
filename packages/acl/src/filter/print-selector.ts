/** Prints a selector as text; the inverse of `parseSelector`. */
import { encodeGoString } from './go-string.ts'
import type { Selector, Term } from './selector.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/

/** Prints a selector on one line, with values in double quotes and `contains` as `in`. */
export function printSelector(selector: Selector): string {
  switch (selector.kind) {
    case 'term':
      return printTerm(selector)
    case 'not':
      return `not ${printOperand(selector.operand, 'not')}`
    default:
      return selector.operands
        .map((operand) => printOperand(operand, selector.kind))
        .join(` ${selector.kind} `)
  }
}

/** Prints an operand, in parentheses unless it binds tighter than the expression around it. */
function printOperand(operand: Selector, outer: 'and' | 'or' | 'not'): string {
  const printed = printSelector(operand)
  const bindsTighter =
    operand.kind === 'term' || operand.kind === 'not' || (operand.kind === 'and' && outer === 'or')
  return bindsTighter ? printed : `(${printed})`
}

export function printTerm({ path, operator, isNegated, value }: Term): string {
  const attribute = printPath(path)
  const not = isNegated ? 'not ' : ''
  switch (operator) {
    case 'equal':
      return `${attribute} ${isNegated ? '!=' : '=='} ${encodeGoString(value)}`
    case 'in':
      return `${encodeGoString(value)} ${not}in ${attribute}`
    case 'matches':
      return `${attribute} ${not}matches ${encodeGoString(value)}`
    case 'empty':
      return `${attribute} is ${not}empty`
  }
}

/** Prints the path of an attribute, such as `value.team` or `value["odd-name"]`. */
export function printPath(path: readonly string[]): string {
  return path
    .map((name, index) => {
      if (index === 0) return name
      return NAME.test(name) ? `.${name}` : `[${encodeGoString(name)}]`
    })
    .join('')
}
