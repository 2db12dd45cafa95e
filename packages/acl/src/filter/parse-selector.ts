/** Parses selectors by recursive descent, in time linear in their length. Decisions: auth methods, filters. */
import { AclError, limits, utf8Length } from '@latchkey/contract'
import { decodeEscapes } from '../quoted-text.ts'
import { type Place, shown } from '../rules/language/syntax-error.ts'
import type { Operator, Selector, Term } from './selector.ts'

const BLANKS = /[ \t\r\n]+/y
const BLANK = /[ \t\r\n]/
const WORD_CHARACTER = /[A-Za-z0-9_]/
const NAME = /[A-Za-z][A-Za-z0-9_]*/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?=[ \t\r\n)]|$)/y
const STRING = /"[^"]*"|`[^`]*`/y

export interface SelectorSource {
  readonly field: string
  readonly refuse: (place: Place, problem: string) => AclError
  /** Whether `contains` and `matches` exist. Default: true. */
  readonly hasWords?: boolean
}

/** Parses a selector that is not empty. */
export function parseSelector(text: string, source: SelectorSource): Selector {
  const bytesMax = limits.SELECTOR_BYTES_MAX
  const { field } = source
  if (text.length > bytesMax || utf8Length(text) > bytesMax) {
    throw new AclError('field_too_long', `${field} must be at most ${bytesMax} bytes long`, { field })
  }
  return new SelectorReader(text, source).read()
}

/**
 * Each method reads the element that it is named after. If the text contains something else, the method notes what it
 * expected and returns `undefined`. Only `not` is tried in two ways, and the second way never reads more than a term.
 */
class SelectorReader {
  private at = 0
  private terms = 0
  private farthest = 0
  private expected: string[] = []
  private readonly text: string
  private readonly source: SelectorSource

  constructor(text: string, source: SelectorSource) {
    this.text = text
    this.source = source
  }

  read(): Selector {
    const broken = this.text.search(/\p{Surrogate}/u)
    if (broken !== -1) throw this.error(broken, 'half a character is no text')
    this.skip(BLANKS)
    const selector = this.or(0)
    if (selector !== undefined) {
      this.skip(BLANKS)
      if (this.at === this.text.length) return selector
      this.fail('the end')
    }
    const { text, farthest } = this
    const found = farthest === text.length ? 'the end' : JSON.stringify(shown(text.slice(farthest)))
    throw this.error(farthest, `found ${found}, expected ${[...new Set(this.expected)].join(' or ')}`)
  }

  private or(depth: number): Selector | undefined {
    return this.chain('or', () => this.chain('and', () => this.not(depth)))
  }

  private chain(kind: 'and' | 'or', operand: () => Selector | undefined): Selector | undefined {
    const first = operand()
    if (first === undefined) return undefined
    const operands = [first]
    while (this.word(kind)) {
      const next = operand()
      if (next === undefined) return undefined
      operands.push(next)
    }
    return operands.length === 1 ? first : { kind, operands }
  }

  private not(depth: number): Selector | undefined {
    const start = this.at
    if (this.text.startsWith('not', start)) {
      this.at += 3
      if (this.skip(BLANKS)) {
        this.checkDepth(depth, start)
        const operand = this.not(depth + 1)
        if (operand !== undefined) return { kind: 'not', operand }
      }
      // `not` may also be the start of a term, such as `not in value`.
      this.at = start
    }
    return this.text.startsWith('(', start) ? this.parentheses(depth) : this.term()
  }

  private parentheses(depth: number): Selector | undefined {
    this.checkDepth(depth, this.at)
    this.at += 1
    this.skip(BLANKS)
    const inner = this.or(depth + 1)
    if (inner === undefined) return undefined
    this.skip(BLANKS)
    return this.sign(')') ? inner : undefined
  }

  private checkDepth(depth: number, at: number): void {
    const max = limits.SELECTOR_DEPTH_MAX
    if (depth === max) throw this.error(at, `not and parentheses are nested deeper than ${max} levels`)
  }

  private term(): Term | undefined {
    const start = this.at
    const path = this.path()
    if (path !== undefined) return this.comparison(start, path)
    if (this.at !== start) return undefined
    const value = this.value()
    if (value === undefined) return undefined
    const isNegated = this.word('not')
    return this.word('in') ? this.membership(start, { value, isNegated }) : undefined
  }

  private comparison(start: number, path: readonly string[]): Term | undefined {
    const afterPath = this.at
    this.skip(BLANKS)
    for (const sign of ['==', '!='] as const) {
      if (!this.sign(sign)) continue
      this.skip(BLANKS)
      return this.termOf(start, { path, operator: 'equal', isNegated: sign === '!=', value: this.value() })
    }
    this.at = afterPath
    if (this.word('is')) {
      const isNegated = this.word('not')
      // The preceding word has already consumed the blanks.
      return this.sign('empty')
        ? this.termOf(start, { path, operator: 'empty', isNegated, value: '' })
        : undefined
    }
    const isNegated = this.word('not')
    if (this.word('in')) return this.membership(start, { value: path.join('.'), isNegated })
    for (const [word, operator] of this.source.hasWords === false ? [] : WORDS) {
      if (this.word(word)) return this.termOf(start, { path, operator, isNegated, value: this.value() })
    }
    return undefined
  }

  private membership(
    start: number,
    { value, isNegated }: { readonly value: string; readonly isNegated: boolean },
  ): Term | undefined {
    const path = this.path()
    return path === undefined ? undefined : this.termOf(start, { path, operator: 'in', isNegated, value })
  }

  private termOf(
    start: number,
    parts: Omit<Term, 'kind' | 'place' | 'value'> & { readonly value: string | undefined },
  ): Term | undefined {
    const { value } = parts
    if (value === undefined) return undefined
    const max = limits.SELECTOR_TERMS_MAX
    this.terms += 1
    if (this.terms > max) throw this.error(start, `there are more than ${max} comparisons`)
    return { ...parts, kind: 'term', value, place: this.placeOf(start) }
  }

  private path(): string[] | undefined {
    const first = this.match(NAME, 'a name')
    if (first === undefined) return undefined
    const path = [first]
    for (;;) {
      if (this.text.startsWith('.', this.at)) {
        this.at += 1
        const name = this.match(NAME, 'a name')
        if (name === undefined) return undefined
        path.push(name)
      } else if (this.text.startsWith('[', this.at)) {
        this.at += 1
        const name = this.string()
        if (name === undefined || !this.sign(']')) return undefined
        path.push(name)
      } else {
        return path
      }
    }
  }

  private value(): string | undefined {
    const start = this.at
    const path = this.path()
    if (path !== undefined) return path.join('.')
    if (this.at !== start) return undefined
    return this.match(NUMBER, 'a number') ?? this.string()
  }

  private string(): string | undefined {
    const start = this.at
    const quoted = this.match(STRING, 'a quoted text')
    if (quoted === undefined) return undefined
    const text = quoted.slice(1, -1)
    if (quoted.startsWith('`')) return text.replaceAll('\r', '')
    const refuse = () =>
      this.error(start, 'the quoted text has an unknown escape, a line end or bytes that are not UTF-8')
    if (text.includes('\n')) throw refuse()
    return decodeEscapes(text, refuse)
  }

  /** Reads a keyword between blanks. The blanks before it may already have been consumed. */
  private word(word: string): boolean {
    const start = this.at
    const hasBlanks = this.skip(BLANKS) || BLANK.test(this.text.charAt(start - 1))
    const end = this.at + word.length
    if (!hasBlanks || !this.text.startsWith(word, this.at) || WORD_CHARACTER.test(this.text.charAt(end))) {
      this.fail(JSON.stringify(word))
    } else {
      this.at = end
      if (this.skip(BLANKS)) return true
      this.fail('a blank')
    }
    this.at = start
    return false
  }

  private sign(sign: string): boolean {
    if (!this.text.startsWith(sign, this.at)) {
      this.fail(JSON.stringify(sign))
      return false
    }
    this.at += sign.length
    return true
  }

  private match(pattern: RegExp, what: string): string | undefined {
    const start = this.at
    if (this.skip(pattern)) return this.text.slice(start, this.at)
    this.fail(what)
    return undefined
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }

  /** Notes what was expected at this place. Errors show the notes for the farthest place. */
  private fail(expected: string): void {
    if (this.at > this.farthest) {
      this.farthest = this.at
      this.expected = []
    }
    if (this.at === this.farthest) this.expected.push(expected)
  }

  private error(at: number, problem: string): AclError {
    return this.source.refuse(this.placeOf(at), problem)
  }

  private placeOf(at: number): Place {
    const before = this.text.slice(0, at).split('\n')
    return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 }
  }
}

const WORDS: readonly (readonly [word: string, operator: Operator])[] = [
  ['contains', 'in'],
  ['matches', 'matches'],
]
