/** The meaning of selector operators for each kind of value. Decisions: auth methods, filters. */
import { parseGoBool, shorten } from '@latchkey/contract'
import { compileRegularExpression } from './regular-expression.ts'
import type { Operator, Term } from './selector.ts'

/** Kinds of values. The kind `map` compares the keys of a map, and `objects` a list of objects as a whole. */
export type ValueKind = 'text' | 'number' | 'bool' | 'list' | 'map' | 'objects'

/** A value of any kind; a map is represented by the list of its keys. */
export type Value = string | number | boolean | readonly unknown[]

/** Operators for each kind of value. */
export const OPERATORS: Readonly<Record<ValueKind, readonly Operator[]>> = {
  text: ['equal', 'in', 'matches'],
  number: ['equal'],
  bool: ['equal'],
  list: ['in', 'empty'],
  map: ['in', 'empty'],
  objects: ['empty'],
}

/** Whether a value of the kind passes a comparison, ignoring negation. */
export type Test = (value: Value) => boolean

/** A prepared comparison, or why values of its kind cannot be compared this way. */
export type Comparison =
  | {
      readonly test: Test
      /** Maximum cost per character of a text, in steps; 0 unless the operator is `matches`. */
      readonly patternSize: number
    }
  | { readonly fault: 'operator' }
  | { readonly fault: 'value'; readonly problem: string }

/** Prepares the comparison of a term with values of a kind. */
export function comparisonOf(term: Term, kind: ValueKind): Comparison {
  const { operator, value } = term
  if (!OPERATORS[kind].includes(operator)) return { fault: 'operator' }
  switch (operator) {
    case 'equal':
      return equalTo(value, kind)
    case 'in':
      return plain((found) => hasIn(found, value))
    case 'empty':
      return plain((found) => Array.isArray(found) && found.length === 0)
    case 'matches':
      return matching(value)
  }
}

function equalTo(value: string, kind: ValueKind): Comparison {
  if (kind === 'text') return plain((found) => found === value)
  const wanted = kind === 'number' ? integerOf(value) : parseGoBool(value)
  if (wanted !== undefined) return plain((found) => found === wanted)
  const form = kind === 'number' ? 'an integer' : 'true or false'
  return { fault: 'value', problem: `${JSON.stringify(shorten(value))} is not ${form}` }
}

function integerOf(text: string): number | undefined {
  const number = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/** Whether a value is a substring of a text or an element of a list. */
function hasIn(found: Value, value: string): boolean {
  return (typeof found === 'string' || Array.isArray(found)) && found.includes(value)
}

function matching(pattern: string): Comparison {
  const compiled = compileRegularExpression(pattern)
  if ('problem' in compiled) {
    const expression = JSON.stringify(shorten(pattern))
    const problem = `Failed to compile regular expression ${expression}: ${shorten(compiled.problem)}`
    return { fault: 'value', problem }
  }
  const { regularExpression } = compiled
  const test: Test = (found) => typeof found === 'string' && regularExpression.test(found)
  return { test, patternSize: regularExpression.size }
}

function plain(test: Test): Comparison {
  return { test, patternSize: 0 }
}
