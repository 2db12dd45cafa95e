/** The meaning of selector operators for each kind of value. Decisions: auth methods, filters. */
import { limits, parseGoBool, shorten } from '@latchkey/contract'
import { RE2JS } from 're2js'
import type { Operator, Term } from './selector.ts'

/** Kinds of values. The kind `map` compares the keys of a map, and `objects` a list of objects as a whole. */
export type ValueKind = 'text' | 'number' | 'bool' | 'list' | 'map' | 'objects'

/** A value of any kind; a map is represented by the list of its keys. */
export type Value = string | number | boolean | readonly unknown[]

export const OPERATORS: Readonly<Record<ValueKind, readonly Operator[]>> = {
  text: ['equal', 'in', 'matches'],
  number: ['equal'],
  bool: ['equal'],
  list: ['in', 'empty'],
  map: ['in', 'empty'],
  objects: ['empty'],
}

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

export function comparisonOf(term: Term, kind: ValueKind): Comparison {
  const { operator, value } = term
  if (!OPERATORS[kind].includes(operator)) return { fault: 'operator' }
  switch (operator) {
    case 'equal':
      return equalTo(value, kind)
    case 'in':
      return plain((found) => (typeof found === 'string' || Array.isArray(found)) && found.includes(value))
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

function matching(pattern: string): Comparison {
  const compiled = compileRegularExpression(pattern)
  if ('problem' in compiled) {
    const expression = JSON.stringify(shorten(pattern))
    const problem = `Failed to compile regular expression ${expression}: ${shorten(compiled.problem)}`
    return { fault: 'value', problem }
  }
  const test: Test = (found) => typeof found === 'string' && compiled.test(found)
  return { test, patternSize: compiled.size }
}

function plain(test: Test): Comparison {
  return { test, patternSize: 0 }
}

/** @returns the compiled pattern, or the error: it is malformed or too large. */
function compileRegularExpression(pattern: string) {
  // Measures the pattern before it is compiled: five hundred times `x{1000}` would occupy a core for seconds.
  const max = limits.SELECTOR_PATTERN_STEPS_MAX
  const size = repetitionSize(pattern)
  if (size > max) return { problem: `it is larger than ${max} steps` }
  try {
    const compiled = RE2JS.compile(pattern)
    return { size, test: (text: string) => compiled.test(text) }
  } catch (error) {
    if (error instanceof Error) return { problem: error.message }
    throw error
  }
}

/** Matches an escape, such as `\x{10ffff}`, `\p{Greek}`, `\pL` or `\d`. */
const ESCAPE = /^\\(?:[xpP]\{[^}]*\}|[pP].|.?)/s
const ESCAPE_LENGTH_MAX = 64
const REPETITION = /^\{(\d{1,4})(?:,(\d{0,4}))?\}/

/** Estimates the number of instructions of a compiled pattern. A counted repetition multiplies the preceding part. */
function repetitionSize(pattern: string): number {
  let group = { size: 0, last: 0 }
  /** Sizes of the open groups, innermost last, each with the size of its last part. */
  const groups = [group]
  const add = (size: number) => {
    group.size += size
    group.last = size
  }
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at)
    if (character === '\\') {
      const [escaped = character] = ESCAPE.exec(pattern.slice(at, at + ESCAPE_LENGTH_MAX)) ?? []
      at += escaped.length - 1
      add(sizeOf(escaped))
    } else if (character === '[') {
      const start = at
      at = endOfClass(pattern, at)
      add(sizeOf(pattern.slice(start, at)))
    } else if (character === '(') {
      group = { size: 0, last: 0 }
      groups.push(group)
    } else if (character === ')') {
      const { size } = groups.length > 1 ? (groups.pop() ?? group) : group
      group = groups.at(-1) ?? group
      add(size + 2)
    } else if (character === '{') {
      const repetition = REPETITION.exec(pattern.slice(at, at + 12))
      if (repetition === null) {
        add(1)
        continue
      }
      const [text, min = '', max] = repetition
      const repeated = group.last * Math.max(Number(min), Number(max || 0), 1)
      group.size += repeated - group.last
      group.last = repeated
      at += text.length - 1
    } else {
      add(1)
    }
  }
  return groups.reduce((total, { size }) => total + size, 0)
}

/** Size of a Unicode class: `\pL` has hundreds of ranges, each of which a match may check. */
const UNICODE_CLASS_SIZE = 50

function sizeOf(part: string): number {
  return 1 + UNICODE_CLASS_SIZE * (part.match(/\\p/gi)?.length ?? 0)
}

/** Finds the end of a character class. A `]` at its start is a literal. */
function endOfClass(pattern: string, start: number): number {
  let at = start + 1
  if (pattern.charAt(at) === '^') at += 1
  if (pattern.charAt(at) === ']') at += 1
  for (; at < pattern.length && pattern.charAt(at) !== ']'; at++) {
    if (pattern.charAt(at) === '\\') at += 1
    else if (pattern.startsWith('[:', at)) at = Math.max(at, pattern.indexOf(':]', at) + 1)
  }
  return at
}
