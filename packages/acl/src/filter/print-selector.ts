/** Prints the terms of a selector as `parseSelector` reads them. */
import { quote } from '../quoted-text.ts'
import type { Term } from './selector.ts'

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/

export function printTerm({ path, operator, isNegated, value }: Term): string {
  const attribute = printPath(path)
  const not = isNegated ? 'not ' : ''
  switch (operator) {
    case 'equal':
      return `${attribute} ${isNegated ? '!=' : '=='} ${quoted(value)}`
    case 'in':
      return `${quoted(value)} ${not}in ${attribute}`
    case 'matches':
      return `${attribute} ${not}matches ${quoted(value)}`
    case 'empty':
      return `${attribute} is ${not}empty`
  }
}

/** Prints the path of an attribute, such as `value.team` or `value["odd-name"]`. */
export function printPath(path: readonly string[]): string {
  return path
    .map((name, index) => {
      if (index === 0) return name
      return NAME.test(name) ? `.${name}` : `[${quoted(name)}]`
    })
    .join('')
}

function quoted(text: string): string {
  return quote(text, /["\\]|\p{Cc}/gu, { '\\': '\\\\' })
}
